import type { Sheets } from '../workbook.ts'

const day = (year: number, month: number, date: number): Date => new Date(Date.UTC(year, month - 1, date))

export const lockRegister: Sheets = {
  Locks: [
    ['No.', 'Name', 'Rise (m)', 'Length (m)', 'Water per passage (m³)', 'Last drained'],
    [1, 'Pell', 2.41, 22.3, 143, day(2016, 2, 8)],
    [5, 'Heron’s Rise', 2.62, 22.1, 155, day(2012, 11, 19)],
    [7, 'Gannet', 2.84, 22.3, 168, day(2024, 2, 14)],
    [8, 'Thornbridge', 2.55, 22.2, 151, day(2010, 1, 25)],
    [14, 'Coldwater Stop', 0.15, 22.4, 12, day(1998, 3, 2)],
  ],
  Bridges: [
    ['Name', 'Headroom (m)', 'Built'],
    ['Tanner’s Bridge', 2.31, 1797],
    ['Ferry Lane Bridge', 2.48, 1934],
  ],
}

export const tolls: Sheets = {
  'Tolls 1998': [
    ['Month', 'Boats', 'Tolls (£)'],
    ['May', 611, 5193.5],
    ['June', 702, 6084],
    ['July', 948, 8342.25],
    ['August', 1017, 9051],
  ],
}

export const levels: Sheets = {
  Levels: [
    ['Date', 'Pell (cm)', 'Gannet (cm)', 'Coldwater (cm)', 'Rain (mm)'],
    [day(2024, 2, 8), 2, 1, 0, 3.2],
    [day(2024, 2, 9), 3, -14, 5, 0],
    [day(2024, 2, 10), 2, -31, 4, 0],
    [day(2024, 2, 11), 1, -6, 1, 11.4],
  ],
}

export const budget: Sheets = {
  Budget: [
    ['Item', 'Planned (£)', 'Spent (£)'],
    ['Oak, sawn and seasoned', 41000, 44350],
    ['Workshop hours', 52000, 58900],
    ['Crane, two days', 9800, 9800],
    ['Pumps and stop planks', 14500, 17250],
    ['Divers and fish rescue', 16000, 18300],
    ['Total', 133300, 148600],
  ],
}

export const telemetry: Sheets = {
  'Week 19': [
    ['Hour', 'Flow at Millrace (l/s)', 'Battery (V)', 'Status'],
    ['2024-05-06 06:00', 88.5, 12.61, 'ok'],
    ['2024-05-06 07:00', 91.25, 12.6, 'ok'],
    ['2024-05-06 08:00', 240, 12.58, 'staircase working'],
    ['2024-05-06 09:00', 87, 12.57, 'ok'],
  ],
}
