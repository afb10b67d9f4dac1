import type { TextItem } from '@llamaindex/liteparse'
import { expect, test } from 'vitest'
import { judgeLayer } from '../../../src/pdf/ocr/judge-layer.ts'

const items = (text: string): TextItem[] => [{ text, x: 0, y: 0, width: 100, height: 10 }]

const LAYER = 'ships of up to ninety metres can lie at the northern quay and smaller ones moor behind it'
const MISREAD = 'shlps of up to nlnety melres can lie at the norlhern quay and smailer ones moor behind it'
const OTHER = 'ships of seven gardens may hang on a silver rope while the older ones bend behind it in a meadow'

test('a text layer is right when the words that OCR recognised hold its words', () => {
  expect(judgeLayer(items(LAYER), items(LAYER.replace('quay', 'guay')), 0.8)).toMatchObject({ verdict: 'right' })
})

test('a text layer whose words OCR reads with other letters is wrong on clean print, else layer or OCR is wrong', () => {
  const blurred = judgeLayer(items(LAYER), items(MISREAD), 0.85)
  expect(blurred.verdict).toBe('similar')
  expect(blurred.agreement).toBeCloseTo(13 / 18)
  expect(judgeLayer(items(LAYER), items(MISREAD), 0.97).verdict).toBe('wrong')
})

test('a text layer with other words than OCR is wrong, and so is one on a picture without words', () => {
  expect(judgeLayer(items(LAYER), items(OTHER), 0.8).verdict).toBe('wrong')
  expect(judgeLayer(items(LAYER), [], 0)).toEqual({ verdict: 'wrong', agreement: 0 })
})

test('a text layer with one different word in nine is wrong when OCR reads the print with confidence', () => {
  const shown = items(LAYER.replace('ninety', 'garden').replace('northern', 'silver'))
  expect(judgeLayer(items(LAYER), shown, 0.96).verdict).toBe('wrong')
  expect(judgeLayer(items(LAYER), shown, 0.8).verdict).toBe('right')
})
