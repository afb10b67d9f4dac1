import { createEngine } from '../../src/engine/create-engine.ts'

// The engine in a process of its own, so that its processor time is kept apart from that of the client that measures it.
const engine = await createEngine({ children: 2 })
process.once('disconnect', async () => {
  await engine[Symbol.asyncDispose]()
  process.exit(0)
})
process.send?.(engine.url)
