import { exitWithParent, sendToParent } from '../children/exit-with-parent.ts'
import { cropFigures, type FiguresToCrop } from './crop-figures.ts'

/* Entry point of a child process that crops figures. The parent kills it and never asks it to stop. */

exitWithParent()
process.on('message', (task) => {
  const done = cropFigures(task as FiguresToCrop).catch(() => null)
  void done.then((images) => sendToParent(images))
})
