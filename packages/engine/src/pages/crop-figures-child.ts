import { exitWithParent, sendToParent } from '../children/exit-with-parent.ts'
import { withPdf } from '../images/with-pdf.ts'
import { cropFigures, type FiguresToCrop } from './crop-figures.ts'

/* Entry point of a child process that crops figures. The parent kills it and never asks it to stop. */

exitWithParent()
process.on('message', (message) => {
  const task = message as FiguresToCrop
  const done = withPdf(task.path, (path) => cropFigures({ ...task, path })).catch(() => null)
  void done.then((images) => sendToParent(images))
})
