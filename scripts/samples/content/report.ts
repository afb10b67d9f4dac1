import { heading, list, paragraph, type Passage, table } from '../passage.ts'

export const annualReport: readonly (readonly Passage[])[] = [
  [
    heading(1, '1. The year on one page'),
    paragraph(
      'In 2024 the Aldermere Navigation carried 9,412 boat passages over 23.4 kilometres and 14 locks. It was the busiest year since the canal was reopened in 1981, although Gannet Lock was closed for forty-two days.',
    ),
    paragraph(
      'The Authority owes more than it can say to the people who turned up in February with waders, nets and soup.',
    ),
    list(
      '9,412 passages, 6 per cent more than in 2023',
      '1,130 volunteers’ days given',
      'One new pair of lock gates, built in our own workshop',
    ),
  ],
  [
    heading(1, '2. Gannet Lock'),
    paragraph(
      'On 9 February the offside bottom gate failed. The engineer had graded it E in November and the Board had put off its replacement. The Board has since changed its rule: a grade E is acted on in the same winter.',
    ),
    heading(2, '2.1 What it cost'),
    table(
      ['Item', 'Planned (£)', 'Spent (£)'],
      ['Oak, sawn and seasoned', '41,000', '44,350'],
      ['Workshop hours', '52,000', '58,900'],
      ['Crane, pumps, divers', '40,300', '45,350'],
      ['Total', '133,300', '148,600'],
    ),
    paragraph('The difference of £15,300 was met from the reserve.'),
  ],
  [
    heading(1, '3. Traffic and water'),
    table(
      ['Lock', 'Passages', 'Water used (m³)'],
      ['Pell', '2,204', '315,172'],
      ['Millrace staircase', '1,871', '379,813'],
      ['Gannet', '1,688', '283,584'],
      ['Coldwater Stop', '1,950', '23,400'],
    ),
    heading(1, '4. The year to come'),
    paragraph('Thornbridge, Millrace and Ferry Lane are next. The programme is in the winter works briefing.'),
    list('No two neighbouring locks closed at once', 'Every stoppage announced eight weeks ahead'),
  ],
]

export const memorandum: readonly string[] = [
  'ALDERMERE NAVIGATION',
  '',
  'Memorandum of 14 November 1931',
  'to the Keeper of Gannet Lock',
  '',
  'The bottom gates at your lock were hung in 1906 and',
  'have now served their time. New ones are building.',
  '',
  'Until they arrive you will please let no boat',
  'strike the mitre, keep the pound at three inches',
  'under weir, and report every morning by the first',
  'boat.',
  '',
  'It will not wait for us. I rely on you.',
  '',
  'J. Wren, Engineer, Pell Basin',
]

/** Text of a picture. */
export const noticeBoard: readonly string[] = [
  'GANNET LOCK',
  '',
  'Notice to boaters, 6 May 2024',
  '',
  'The bottom gates are under repair. Boats pass',
  'from eight in the morning until noon only.',
  '',
  'Moor above the lock and wait for the keeper.',
]
