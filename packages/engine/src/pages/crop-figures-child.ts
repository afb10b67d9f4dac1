import { endWithParent, sendToParent } from '../children/end-with-parent.ts'
import { cropFigures, type FiguresToCrop } from './crop-figures.ts'

/* The entry of a child process that crops figures. It is killed, never asked to stop. */

endWithParent()
process.on('message', (task) => {
  const done = cropFigures(task as FiguresToCrop).catch(() => null)
  void done.then((images) => sendToParent(images))
})
