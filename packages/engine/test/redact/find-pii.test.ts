import { describe, expect, test } from 'vitest'
import { PII_ENTITIES } from '@sluice/contract'
import { Redactor } from '../../src/redact/redactor.ts'

/** What is found in a text, as `ENTITY text`. */
function found(text: string): string[] {
  const redactor = new Redactor(text, { mode: 'fast', entities: [...PII_ENTITIES], replaceStyle: 'tag' })
  return redactor.find(text).map(({ start, end, entity }) => `${entity} ${text.slice(start, end)}`)
}

describe('the redactor finds', () => {
  test.each([
    ['Write to ada.king@example.org today.', 'EMAIL ada.king@example.org'],
    ['Write to ada\\_king+news@mail.example.co.uk.', 'EMAIL ada\\_king+news@mail.example.co.uk'],
    ['jürgen@bäckerei.example is fine', 'EMAIL jürgen@bäckerei.example'],
    ['max (at) muster (dot) de', 'EMAIL max (at) muster (dot) de'],
    ['[mail](mailto:ada@example.org)', 'EMAIL ada@example.org'],
    ['Call +49 30 901820 now', 'PHONE +49 30 901820'],
    ['Call +1-212-555-0123 now', 'PHONE +1-212-555-0123'],
    ['Call (212) 555-0123 now', 'PHONE (212) 555-0123'],
    ['Call 212.555.0123 now', 'PHONE 212.555.0123'],
    ['Call 0044 20 7946 0958 now', 'PHONE 0044 20 7946 0958'],
    ['**Tel.:** 030 / 901 820', 'PHONE 030 / 901 820'],
    ['Fax 089-1234567', 'PHONE 089-1234567'],
    ['4111 1111 1111 1111 is the test card', 'FINANCIAL 4111 1111 1111 1111'],
    ['378282246310005', 'FINANCIAL 378282246310005'],
    ['IBAN DE89 3704 0044 0532 0130 00 at the bank', 'FINANCIAL DE89 3704 0044 0532 0130 00'],
    ['GB82WEST12345698765432', 'FINANCIAL GB82WEST12345698765432'],
    ['BIC: COBADEFFXXX', 'FINANCIAL COBADEFFXXX'],
    ['His number is 078-05-1120.', 'FINANCIAL 078-05-1120'],
    ['Account number: 12345678', 'FINANCIAL 12345678'],
    ['key AKIAIOSFODNN7EXAMPLE', 'SECRET AKIAIOSFODNN7EXAMPLE'],
    [`ghp_${'a1B2'.repeat(9)}`, `SECRET ghp_${'a1B2'.repeat(9)}`],
    ['postgres://app:s3cr3t@db/main', 'SECRET s3cr3t'],
    ['password: hunter2!', 'SECRET hunter2!'],
    ['api_key = "a8f5f167f44f4964e6c998dee827110c"', 'SECRET a8f5f167f44f4964e6c998dee827110c'],
    ['Authorization: Bearer abcdef0123456789abcdef', 'SECRET abcdef0123456789abcdef'],
    ['at 221B Baker Street, London NW1 6XE.', 'LOCATION 221B Baker Street, London NW1 6XE'],
    ['1600 Pennsylvania Avenue NW, Washington, DC 20500', 'LOCATION 1600 Pennsylvania Avenue NW, Washington, DC 20500'],
    ['Friedrichstraße 43, 10117 Berlin.', 'LOCATION Friedrichstraße 43, 10117 Berlin'],
    ['Potsdamer Platz 1\n10785 Berlin', 'LOCATION Potsdamer Platz 1\n10785 Berlin'],
    ['12 rue de la Paix, 75002 Paris', 'LOCATION 12 rue de la Paix, 75002 Paris'],
    ['Meet at 52.520008, 13.404954', 'LOCATION 52.520008, 13.404954'],
    ['Dear Ms. Okafor,', 'PERSON Okafor'],
    ['seen by Dr. Maria Okafor on Monday', 'PERSON Maria Okafor'],
    ['Sehr geehrter Herr Müller-Lüdenscheidt,', 'PERSON Müller-Lüdenscheidt'],
    ['Best regards,\nTomasz Lewandowski', 'PERSON Tomasz Lewandowski'],
    ['Patient: Ada King', 'PERSON Ada King'],
    ['The report was written by **John Smith** in May.', 'PERSON John Smith'],
  ])('%s', (text, expected) => {
    expect(found(text)).toContain(expected)
  })

  test('private keys over all their lines', () => {
    const key = '-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAKC\n-----END RSA PRIVATE KEY-----'
    expect(found(`before\n${key}\nafter`)).toEqual([`SECRET ${key}`])
  })

  test('each repetition of a full name, also without an adjacent title', () => {
    expect(found('Dear Mr. Xaver Qwertzinger,\nlater xaver qwertzinger and Xaver Qwertzinger met')).toEqual([
      'PERSON Xaver Qwertzinger',
      'PERSON Xaver Qwertzinger',
    ])
  })
})

describe('the redactor leaves text that only resembles PII', () => {
  test.each([
    'In 2012, from 1999 to 2003, on 2024-01-15 and 15.01.2024 at 10:30.',
    'Version 4.2.1 and 10.15.7, Python 3.14, node 24.21.0, IP 192.168.1.100.',
    'Sum 1 234 567.89, table 384 172 3950, pages 123-456, ISBN 978-3-16-148410-0.',
    'UUID 123e4567-e89b-12d3-a456-426614174000, commit 9fceb02d0ae598e95dc970b74767f19372d61af8.',
    'The card 4111 1111 1111 1112 has a wrong digit, DE89 3704 0044 0532 0130 01 too.',
    'See https://example.org/2125550123/4111111111111111 for it.',
    '+1 000 000 jobs and +12 points',
    'Password: required. The token: string, the secret: see below. api_key: ${API_KEY}',
    'The file icon@2x.png and the package left-pad@1.3.0.',
    'The Company shall pay. Springfield is a town. Chase Bank has a Grace Period.',
    'They came in on Platz 4. In 2012 Big Apple Square was built. Section 12 Main Road Map.',
    '| Name | Default | Meaning |\n| - | - | - |\n| Qty | 4 | Value |',
    'Comisión de Normas y Universidad Nacional.',
  ])('%s', (text) => {
    expect(found(text)).toEqual([])
  })
})

test('the redactor scans four texts of a megabyte without PII in less than 8 s of processor time', () => {
  const texts = ['A1b2C3d4-'.repeat(110_000), 'word '.repeat(200_000), '1 '.repeat(500_000), 'a.'.repeat(500_000)]
  const before = process.cpuUsage()
  for (const text of texts) found(text)
  expect(process.cpuUsage(before).user).toBeLessThan(8e6)
})
