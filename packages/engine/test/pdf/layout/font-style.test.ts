import { expect, test } from 'vitest'
import { fontStyle } from '../../../src/pdf/geometry/font-style.ts'

test.each([
  ['Helvetica', 400, ''],
  ['Helvetica-Bold', 700, ''],
  ['Helvetica-BoldOblique', 700, 'italic'],
  ['CMR10', 400, ''],
  ['CMBX12', 700, ''],
  ['XQZABC+CMBXTI10', 700, 'italic'],
  ['CMTI9', 400, 'italic'],
  ['CMTT9', 400, 'monospaced'],
  ['CMSSBX10', 700, ''],
  ['CMMI10', 400, ''],
  ['SFBX0900', 700, ''],
  ['SFTI1000', 400, 'italic'],
  ['SFRM1000', 400, ''],
  ['NimbusRomNo9L-Regu', 400, ''],
  ['NimbusRomNo9L-Medi', 700, ''],
  ['NimbusRomNo9L-ReguItal', 400, 'italic'],
  ['NimbusRomNo9L-MediItal', 700, 'italic'],
  ['AdobeCorpID-MyriadBd', 700, ''],
  ['AdobeCorpID-MyriadRgIt', 400, 'italic'],
  ['HelveticaNeue-BoldCond', 700, ''],
  ['LubalinGraphStd-Demi', 600, ''],
  ['PGPFGD+KoPubDotumMedium', 500, ''],
  ['PGPHFJ+KoPubBatangLight', 300, ''],
  ['Arial-Black', 900, ''],
  ['MonotypeCorsiva', 400, ''],
  ['DejaVuSansMono-Bold', 700, 'monospaced'],
  ['MSBM10', 400, ''],
  ['ITCGaramond-Book', 400, ''],
  ['Calibri,Bold', 700, ''],
])('the font %s has the weight %d and is %s', (name, weight, shape) => {
  const style = fontStyle(name)
  expect({ weight: style.weight, shape: style.italic ? 'italic' : style.monospaced ? 'monospaced' : '' }).toEqual({
    weight,
    shape,
  })
})
