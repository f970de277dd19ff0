import { expect, it } from 'vitest'
import { answerText } from './answer-text.ts'

const latin1 = (text: string) => Buffer.from(text, 'latin1')
const utf16 = (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le')
const declared = '<?xml version="1.0" encoding="ISO-8859-1"?><a>Müller</a>'

it.each([
  ['UTF-8', Buffer.from('Müller €'), 'text/csv', 'Müller €'],
  ['a charset of the content type', latin1('Müller'), 'text/csv; charset="iso-8859-1"', 'Müller'],
  ['the charset of Windows', Buffer.from([0x80]), 'text/csv;charset=windows-1252', '€'],
  ['an XML declaration', latin1(declared), 'text/xml', declared],
  ['a content type that contradicts the declaration', Buffer.from(declared), 'text/xml; charset=utf-8', declared],
  ['UTF-16 with its mark', utf16('<a>Müller</a>'), 'application/xml', '<a>Müller</a>'],
  ['UTF-16 in big-endian order', Buffer.from(utf16('<a/>')).swap16(), '', '<a/>'],
  ['JSON, whatever its content type says', Buffer.from('"ü"'), 'application/json; charset=ISO-8859-1', '"ü"'],
  ['an encoding that does not exist', Buffer.from('ü'), 'text/csv; charset=utf-7-imap', 'ü'],
  ['a declaration that is no encoding', Buffer.from('<?xml encoding="utf-99"?>ü'), '', '<?xml encoding="utf-99"?>ü'],
  ['bytes that are not of the encoding', latin1('ü'), 'text/csv', '\uFFFD'],
  ['a byte order mark of UTF-8 stays', Buffer.from('\uFEFFa'), 'text/csv', '\uFEFFa'],
  ['nothing', Buffer.alloc(0), '', ''],
])('%s', (_, body, contentType, text) => {
  expect(answerText(body, contentType)).toBe(text)
})

it('XML that declares an encoding that it does not have is no XML', () => {
  expect(answerText(Buffer.from('<?xml version="1.0" encoding="UTF-16BE"?><a/>'), 'text/xml')).not.toContain('<a/>')
})
