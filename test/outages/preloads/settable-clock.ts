/*
 * Loaded before the program: at each SIGUSR2 the clock on the wall is set, by an hour on and by an hour back in turn.
 * `SET_CLOCK=back` begins with the way back; by `CLOCK_AHEAD_MS` it is ahead from the start. Timers and
 * `performance.now()` go on as they do on a machine whose clock is set.
 */

const HOUR_MS = 3_600_000
const realNow = Date.now.bind(Date)
let offsetMs = Number(process.env['CLOCK_AHEAD_MS'] ?? 0)
let stepMs = process.env['SET_CLOCK'] === 'back' ? -HOUR_MS : HOUR_MS

const RealDate = Date
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args: unknown[], self) =>
    Reflect.construct(target, args.length === 0 ? [realNow() + offsetMs] : args, self) as Date,
})
RealDate.now = () => realNow() + offsetMs

process.on('SIGUSR2', () => {
  offsetMs += stepMs
  stepMs = -stepMs
})
