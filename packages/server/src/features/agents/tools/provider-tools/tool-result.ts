import type { McpServerClient } from '@mortise/providers'
import type { FieldRules } from '../field-rules.ts'
import { sizeOf } from '../shown-record.ts'

type CallResult = Awaited<ReturnType<McpServerClient['callTool']>>

/** A part of a result, as agents get it. */
export type ShownPart =
  | { type: 'text'; text: string }
  | { type: 'json'; value: unknown }
  | { type: 'link'; uri: string; name?: string }
  | { type: 'image' | 'audio' | 'file'; mimeType?: string; note: string }

export interface ShownResult {
  parts: ShownPart[]
  isShortened: boolean
}

const partsMax = 100
const textMax = 2_000
const leftOut = 'Binary content is left out.'
const withheld = '[withheld: the rules for fields apply to JSON only]'

/**
 * Returns the result of a foreign tool for agents: as data, under the rules for fields, and no longer than allowed.
 * Images, audio and files are named and left out. Links are shown, and never opened.
 */
export function shownResult(
  { content, structuredContent }: CallResult,
  rules: FieldRules | undefined,
  bytesMax: number,
): ShownResult {
  const structured = structuredContent === undefined ? [] : [jsonPart(structuredContent, rules)]
  const parts = content.slice(0, partsMax).flatMap((item) => partOf(item, rules))
  // Servers repeat structured content as text, for clients that know no other.
  const others = structuredContent === undefined ? parts : parts.filter(({ type }) => type !== 'json')
  const { kept, isShortened } = fitting([...structured, ...others], bytesMax)
  return { parts: kept, isShortened: isShortened || content.length > partsMax }
}

/** Returns the text of a result, for an error. */
export function textOf({ parts }: ShownResult): string {
  return parts
    .map((part) => (part.type === 'text' ? part.text : part.type === 'json' ? JSON.stringify(part.value) : ''))
    .filter((text) => text !== '')
    .join(' ')
}

function partOf(item: CallResult['content'][number], rules: FieldRules | undefined): ShownPart[] {
  switch (item.type) {
    case 'text':
      return [textPart(item.text, rules)]
    case 'image':
    case 'audio':
      return [{ type: item.type, mimeType: cut(item.mimeType), note: leftOut }]
    case 'resource_link':
      return [{ type: 'link', uri: cut(item.uri), name: cut(item.name) }]
    case 'resource': {
      const { resource } = item
      if ('text' in resource) return [textPart(resource.text, rules)]
      return [
        { type: 'file', ...(resource.mimeType !== undefined && { mimeType: cut(resource.mimeType) }), note: leftOut },
      ]
    }
  }
}

function textPart(text: string, rules: FieldRules | undefined): ShownPart {
  const json = /^\s*[{[]/.test(text) ? parsed(text) : undefined
  if (json !== undefined) return jsonPart(json, rules)
  // A hidden field could be anywhere in a text.
  return { type: 'text', text: rules && text.trim() !== '' ? withheld : clean(text) }
}

function jsonPart(value: unknown, rules: FieldRules | undefined): ShownPart {
  return { type: 'json', value: (rules ? rules.shown(value, []) : value) ?? null }
}

function fitting(parts: readonly ShownPart[], bytesMax: number): { kept: ShownPart[]; isShortened: boolean } {
  const kept: ShownPart[] = []
  let left = bytesMax
  for (const part of parts) {
    const size = sizeOf(part)
    if (size <= left) {
      kept.push(part)
      left -= size
      continue
    }
    const text = part.type === 'text' ? part.text : part.type === 'json' ? JSON.stringify(part.value) : ''
    const short = shortened(text, left)
    if (short !== '') kept.push({ type: 'text', text: short })
    return { kept, isShortened: true }
  }
  return { kept, isShortened: false }
}

/** Returns the beginning of a text that fits as JSON: a character takes up to six bytes. */
function shortened(text: string, bytes: number): string {
  let part = text.slice(0, Math.max(0, bytes - 100)).toWellFormed()
  while (part !== '' && sizeOf(part) > bytes - 60) part = part.slice(0, Math.floor(part.length / 2)).toWellFormed()
  return part === '' ? '' : `${part}…`
}

/** Without control characters and those that people do not see, except line breaks and tabs. */
function clean(text: string): string {
  return text.toWellFormed().replace(/[^\P{C}\n\t]/gu, '')
}

function cut(text: string): string {
  return clean(text).slice(0, textMax).toWellFormed()
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
