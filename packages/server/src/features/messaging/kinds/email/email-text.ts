import { jsonOf } from '../http-calls.ts'
import type { OutgoingMessage } from '../kind.ts'
import { createTimeOf } from '../message-time.ts'
import { fillTemplate, type Template } from '../template.ts'

type Content = Pick<OutgoingMessage, 'id' | 'kind' | 'eventType' | 'body'>

const subjectLengthMax = 200
const valueLengthMax = 200
const jsonLengthMax = 16_000

/** The subject of the mail of a message. Nothing that a customer set can end the line. */
export function subjectOf(template: Template | undefined, message: Content): string {
  const made = template && fillTemplate(template, { data: jsonOf(message) ?? null })
  return inLine(made ?? aboutOf(message), subjectLengthMax)
}

/** The text of the mail of a message: what it is about, and its JSON. */
export function mailText(message: Content): string {
  const json = message.body.toString()
  const characters = json.length > jsonLengthMax ? [...json] : []
  const left = characters.length - jsonLengthMax
  const shown = left > 0 ? `${characters.slice(0, jsonLengthMax).join('')}… (${left} more characters)` : json
  return `${lineOf(message)}\n\n${shown}\n`
}

/** The subject of the mail of several messages. */
export function digestSubject(messages: readonly Content[]): string {
  const kinds = Map.groupBy(messages, ({ kind, eventType }) => eventType ?? kind)
  const parts = [...kinds].map(([name, of]) => (of.length === 1 ? name : `${name} (${of.length})`))
  return inLine(`${messages.length} messages: ${parts.join(', ')}`, subjectLengthMax)
}

/** The text of the mail of several messages: a line for each. */
export function digestText(messages: readonly Content[]): string {
  return `${messages.map(lineOf).join('\n')}\n\nTo see a message, run: mortise get message ID\n`
}

/** "2026-11-26T10:00:00.000Z connection.error: group acme, provider hubspot (0197b1c0-…)" */
function lineOf(message: Content): string {
  return `${createTimeOf(message).toISOString()} ${aboutOf(message)} (${message.id})`
}

/** "connection.error: group acme, provider hubspot" */
function aboutOf({ kind, eventType, body }: Content): string {
  const content = jsonOf({ body }) ?? {}
  const inner = content['data']
  const source = eventType !== undefined && typeof inner === 'object' && inner !== null ? inner : content
  const parts = Object.entries(shownFields).flatMap(([name, label]) => {
    const value: unknown = Reflect.get(source, name)
    return typeof value === 'string' && value !== '' ? `${label} ${inLine(value, valueLengthMax)}` : []
  })
  const name = eventType ?? kind
  return parts.length === 0 ? name : `${name}: ${parts.join(', ')}`
}

const shownFields = { groupRef: 'group', groupName: 'name', provider: 'provider', objectName: 'object' }

/** Keeps a text in one line: without control characters and the separators that some readers break lines at. */
function inLine(text: string, lengthMax: number): string {
  return text
    .slice(0, lengthMax)
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029]/gu, ' ')
    .trim()
}
