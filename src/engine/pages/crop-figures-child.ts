import { cropFigures, type FiguresToCrop } from './crop-figures.ts'

/* The entry of a child process that crops figures. It is killed, never asked to stop. */

process.on('disconnect', () => process.exit(1))
process.on('message', (task) => {
  const done = cropFigures(task as FiguresToCrop).catch(() => null)
  void done.then((images) => process.send?.(images))
})
