import { TextDecoder } from 'node:util'

const contentCharset = /;\s*charset\s*=\s*"?([^\s;"]+)/i
const declaredEncoding = /^<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']/i
/** A declaration is at the beginning of a document. */
const declarationBytes = 200

/**
 * Returns the text of a body. XML and CSV may have other encodings than UTF-8: that of the byte order mark, of the
 * content type, or of the XML declaration, in this order. JSON is UTF-8 (RFC 8259, 8.1), whatever the content type
 * says. An unknown encoding is read as UTF-8; bytes that are not of the encoding become U+FFFD.
 */
export function answerText(body: Buffer, contentType = ''): string {
  const label = /json/i.test(contentType) ? undefined : encodingOf(body, contentType)
  return decoderOf(label)?.decode(body) ?? body.toString('utf8')
}

function encodingOf(body: Buffer, contentType: string): string | undefined {
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le'
  if (body[0] === 0xfe && body[1] === 0xff) return 'utf-16be'
  const begin = body.subarray(0, declarationBytes).toString('latin1')
  return contentCharset.exec(contentType)?.[1] ?? declaredEncoding.exec(begin)?.[1]
}

/** Returns undefined for UTF-8, which needs no decoder, and for unknown encodings. */
function decoderOf(label: string | undefined): TextDecoder | undefined {
  if (label === undefined || /^utf-?8$/i.test(label)) return undefined
  try {
    return new TextDecoder(label)
  } catch {
    return undefined
  }
}
