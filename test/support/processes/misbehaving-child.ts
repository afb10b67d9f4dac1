/* A child that does what it is reported: for tests of the limits on one. */

const kept: Buffer[] = []

process.on('disconnect', () => process.exit(1))
process.on('message', (message) => {
  const { todo } = message as { readonly todo: 'answer' | 'hang' | 'allocate' | 'crash' | 'environment' }
  if (todo === 'answer') process.send?.(new Uint8Array([1, 2, 3]))
  if (todo === 'environment') process.send?.(Object.keys(process.env))
  if (todo === 'crash') process.abort()
  if (todo === 'hang') for (;;);
  if (todo === 'allocate') for (;;) kept.push(Buffer.alloc(1_000_000, 1))
})
