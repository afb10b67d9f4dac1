import { heading, list, paragraph, type Passage, table } from '../passage.ts'

/*
 * The archive of the Aldermere Navigation Authority, which does not exist: a canal of 23.4 km and 14 locks. The
 * documents refer to each other: a question can have its answer in several of them.
 */

export const inspection: readonly Passage[] = [
  heading(1, 'Inspection of Gannet Lock (No. 7)'),
  paragraph(
    'Inspected on 14 November 2023 by Tobias Wren, chief engineer, with the chamber full and again with it empty. Last drained in 2009.',
  ),
  heading(2, 'Findings'),
  list(
    'The offside bottom gate leans out of the mitre by 18 mm. A crack in the mitre post can be followed with a blade for 60 cm.',
    'Two of the six ground paddles do not seat; they lose about 4 litres a second.',
    'The brickwork of the chamber is sound. One fern and one wagtail’s nest were left where they are.',
  ),
  heading(2, 'Condition by part'),
  table(
    ['Part', 'Grade (A best, E worst)', 'Act by'],
    ['Top gates', 'B', '2028'],
    ['Bottom gate, towpath side', 'C', '2025'],
    ['Bottom gate, offside', 'E', 'winter 2023/24'],
    ['Ground paddles', 'D', '2024'],
    ['Chamber walls', 'B', '2030'],
  ),
  heading(2, 'Recommendation'),
  paragraph(
    'Replace both bottom gates this winter rather than next. A gate of grade E has, in our own records since 1981, failed within two seasons in five cases of six.',
  ),
]

export const minutes: readonly Passage[] = [
  heading(1, 'Minutes of the Board, 5 December 2023'),
  paragraph('Present: Ines Hallam (chair), Marek Dunn, Ruth Okafor, Tobias Wren. Clerk: S. Pryce. Held at Pell Basin.'),
  heading(2, '1. Gannet Lock'),
  paragraph(
    'Mr Wren spoke to his inspection. The Board thanked him, noted that the winter’s money was already promised to Ferry Lane, and put the new gates off to November 2024. Mrs Okafor asked that her dissent be written down: “It will not wait for us.”',
  ),
  heading(2, '2. Decisions'),
  list(
    'Ferry Lane dredging to go ahead in January, up to £61,000.',
    'Gates for Gannet Lock to be ordered for the winter of 2024/25.',
    'The open day to be on Sunday, 19 May.',
  ),
  heading(2, '3. Votes'),
  table(
    ['Motion', 'For', 'Against'],
    ['Dredge Ferry Lane', '4', '0'],
    ['Put off Gannet Lock', '3', '1'],
    ['Open day in May', '4', '0'],
  ),
]

export const permit: readonly Passage[] = [
  heading(1, 'Permit to work W-2024-17'),
  paragraph(
    'Work: lifting out the bottom gates of Gannet Lock with a mobile crane of 60 tonnes. Valid 15 and 16 February 2024.',
  ),
  heading(2, 'Before work begins'),
  list(
    'Stop planks set above and below, and watched for one hour.',
    'Chamber drained and fish rescued; the bailiff has signed.',
    'Towpath closed between Tanner’s Bridge and the lock cottage.',
  ),
  heading(2, 'Loads'),
  table(
    ['Lift', 'Weight (t)', 'Radius (m)', 'Crane allows (t)'],
    ['Towpath gate', '3.1', '9', '11.4'],
    ['Offside gate, waterlogged', '3.8', '14', '6.2'],
  ),
  paragraph('Issued by T. Wren. Given back on 16 February at 15:20, gates on the lorry, nobody wet.'),
]

export const history: readonly Passage[] = [
  heading(1, 'How the Navigation came back'),
  paragraph(
    'The last paid load, eleven tons of roofing slate, left Coldwater on 2 March 1938. For forty-three years the canal was a ditch with opinions. It was dug out again between 1968 and 1981, largely at weekends.',
  ),
  heading(2, 'Who did the digging'),
  list(
    'Schools of Aldermere, in their summers',
    'A bank’s cricket club, every winter but one',
    'The Army, twice, for practice',
  ),
  heading(2, 'Dates to remember'),
  table(
    ['Year', 'What happened'],
    ['1794', 'The Aldermere Canal Act; first share sold for 100 guineas'],
    ['1801', 'Open from Pell Basin to Coldwater, 14 locks'],
    ['1938', 'Last commercial load'],
    ['1968', 'First working party, at Withy Lock, 7 people and a borrowed pump'],
    ['1981', 'Reopened throughout'],
  ),
]

export const handbook: readonly (readonly Passage[])[] = [
  [
    heading(1, 'The levels'),
    paragraph(
      'A canal is a staircase of ponds, and a keeper’s first duty is to know, at any hour, how full each of them is.',
    ),
    heading(2, 'Reading the board'),
    table(
      ['Mark', 'Meaning'],
      ['+10 cm', 'run it off over the weir'],
      ['0', 'as it should be'],
      ['−15 cm', 'let down from above, slowly'],
      ['−30 cm', 'stop traffic and telephone'],
    ),
  ],
  [
    heading(1, 'The gates'),
    paragraph(
      'Oak for the frame, elm under water, and patience for both. A pair lasts twenty-five years if nobody rams it.',
    ),
    heading(2, 'Every morning'),
    list(
      'Walk both beams and look for a lean.',
      'Listen: a paddle that hisses does not seat.',
      'Grease the pintles on the first of the month.',
    ),
  ],
]
