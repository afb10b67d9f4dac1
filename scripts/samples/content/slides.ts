import { list, type Slide, table } from '../passage.ts'

export const talk: readonly Slide[] = [
  {
    title: 'How a lock works',
    passages: [
      list(
        'A box of water between two levels',
        'Gates hold, paddles let through',
        'The boat does the waiting; gravity does the work',
      ),
    ],
    notes: 'Open day, 19 May 2024. Let the children turn the model’s paddle before you speak.',
  },
  {
    title: 'What one passage takes',
    passages: [
      table(
        ['Lock', 'Rise (m)', 'Water (m³)'],
        ['Pell', '2.41', '143'],
        ['Gannet', '2.84', '168'],
        ['Coldwater Stop', '0.15', '12'],
      ),
    ],
    notes: 'The stop lock is there for law, not for height: two companies that would not share water.',
  },
]

export const briefing: readonly Slide[] = [
  {
    title: 'Winter works 2024/25',
    passages: [
      list('Thornbridge: new ground paddles', 'Millrace staircase: repoint two chambers', 'Ferry Lane: dredge 600 m'),
    ],
    notes: 'Gannet Lock is off the list: it was done in March, sooner than planned.',
  },
  {
    title: 'Stoppages and money',
    passages: [
      table(
        ['Site', 'Closed from', 'Open again', 'Budget (£)'],
        ['Thornbridge', '4 Nov 2024', '29 Nov 2024', '38,000'],
        ['Millrace', '6 Jan 2025', '14 Feb 2025', '72,500'],
        ['Ferry Lane', '3 Feb 2025', '21 Feb 2025', '61,000'],
      ),
    ],
    notes: 'No two neighbouring sites are closed at once: a boat can always reach a winding hole.',
  },
]

export const induction: readonly Slide[] = [
  {
    title: 'Welcome, volunteer lock keepers',
    passages: [
      list('You help; the skipper decides', 'Lifejacket on, always', 'Say no when the river is on red boards'),
    ],
    notes: 'Marek Dunn gives this talk each April.',
  },
  {
    title: 'Your first month',
    passages: [
      list(
        'Week 1: Pell, with Marek Dunn',
        'Week 2: Millrace, with Anna Lisle',
        'Weeks 3 and 4: Gannet, with Ruth Okafor',
      ),
    ],
    notes: 'Nobody is alone at the staircase in the first season.',
  },
]

export const safety: readonly Slide[] = [
  {
    title: 'Cold water',
    passages: [
      list(
        'Float first: the shock passes in 90 seconds',
        'Throw the line, do not jump',
        'Call 999 and give the lock’s number',
      ),
    ],
    notes: 'Practise the throw: ten metres, three times out of four.',
  },
  {
    title: 'Near misses of 2024',
    passages: [
      table(
        ['Kind', 'Count', 'Place'],
        ['Windlass flew off', '6', 'Thornbridge'],
        ['Boat hung on the cill', '2', 'Heron’s Rise'],
        ['Slipped on ice', '9', 'all over'],
      ),
    ],
    notes: 'None became an injury. All three kinds have the same cure: slower.',
  },
]
