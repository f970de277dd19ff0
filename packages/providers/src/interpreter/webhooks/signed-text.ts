import { crc32 } from 'node:zlib'
import type { SignedVerification } from '../../catalogue/format/webhook-verification.ts'
import { compilePath, scalarText } from '../path.ts'
import { parseTemplate, type Template } from '../template.ts'
import { headerOf, type InboundRequest, payloadOf, sortedForm } from './inbound-request.ts'

const templates = new WeakMap<SignedVerification, Template>()
const partTemplates = new WeakMap<readonly string[], Template[]>()

/** Returns the parts of the text that a signature covers; undefined where the request lacks one of them. */
export function signedParts(
  verification: SignedVerification,
  request: InboundRequest,
  timestamp: string,
): (string | Buffer)[] | undefined {
  if (verification.signedParts !== undefined) return joinedParts(verification.signedParts, request, timestamp)
  let template = templates.get(verification)
  if (template === undefined) {
    template = parseTemplate(verification.signedText ?? '{{body}}')
    templates.set(verification, template)
  }
  const signed: (string | Buffer)[] = []
  let text = ''
  for (const part of template.parts) {
    if (typeof part === 'string') text += part
    else if (part.name !== 'body') {
      const value = signedValue(part.name, request, timestamp)
      if (value === undefined) return undefined
      text += value
    } else {
      // Texts that follow each other are hashed in one call: each call costs more than what it hashes.
      if (text !== '') signed.push(text)
      signed.push(request.body)
      text = ''
    }
  }
  if (text !== '') signed.push(text)
  return signed
}

/**
 * Returns the parts whose values exist. Undefined where a value of a part after the first has line breaks: with them,
 * the same text could be split into other values.
 */
function joinedParts(
  declared: readonly string[],
  request: InboundRequest,
  timestamp: string,
): (string | Buffer)[] | undefined {
  const known = partTemplates.get(declared) ?? declared.map(parseTemplate)
  partTemplates.set(declared, known)
  const signed: string[] = []
  for (const [at, { parts }] of known.entries()) {
    const texts = parts.map((part) => (typeof part === 'string' ? part : signedValue(part.name, request, timestamp)))
    if (texts.includes(undefined)) continue
    const values = texts.filter((_, index) => typeof parts[index] !== 'string')
    if (at > 0 && values.some((value) => /[\r\n]/.test(value ?? ''))) return undefined
    signed.push(texts.join(''))
  }
  return signed.length === 0 ? undefined : signed
}

function signedValue(name: string, request: InboundRequest, timestamp: string): string | undefined {
  if (name === 'method') return request.method
  if (name === 'url') return request.url
  if (name === 'timestamp') return timestamp
  if (name === 'registration') return request.registration
  if (name === 'bodyCrc32') return `${crc32(request.body)}`
  if (name === 'sortedForm') return sortedForm(request)
  if (name.startsWith('header.')) return headerOf(request, name.slice('header.'.length))
  return scalarText(compilePath(name.slice('payload.'.length))(payloadOf(request)))
}
