import { crc32 } from 'node:zlib'
import type { SignedVerification } from '../../catalogue/format/webhook-verification.ts'
import { compilePath, scalarText } from '../path.ts'
import { parseTemplate, type Template } from '../template.ts'
import { headerOf, type InboundRequest, payloadOf, sortedForm } from './inbound-request.ts'

const templates = new WeakMap<SignedVerification, Template>()

/** Returns the parts of the text that a signature covers; undefined where the request lacks one of them. */
export function signedParts(
  verification: SignedVerification,
  request: InboundRequest,
  timestamp: string,
): (string | Buffer)[] | undefined {
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
