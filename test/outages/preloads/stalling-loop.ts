/* Loaded before the program: its event loop stands still for 100 ms, four times a second. */

const STALL_MS = 100

setInterval(() => {
  const until = performance.now() + STALL_MS
  while (performance.now() < until);
}, 250).unref()
