import { jsonOf } from '../http-calls.ts'
import type { OutgoingMessage } from '../kind.ts'

/** Slack cuts longer texts without a word. */
const lengthMax = 16_000
const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** The text of a message: a sentence for a notification, and the JSON in a block. Nothing in it mentions anybody. */
export function slackText(message: Pick<OutgoingMessage, 'kind' | 'eventType' | 'body'>): string {
  return `${message.kind === 'notification' ? `${sentence(message)}\n` : ''}\`\`\`\n${block(message.body)}\n\`\`\``
}

/** "*connection.error* of the group acme at hubspot" */
function sentence({ eventType = 'notification', body }: Pick<OutgoingMessage, 'eventType' | 'body'>): string {
  const { data } = jsonOf({ body }) ?? {}
  const text = (name: string) => {
    const found: unknown = typeof data === 'object' && data !== null ? Reflect.get(data, name) : undefined
    return typeof found === 'string' && found !== '' ? escaped(found.slice(0, 200)) : undefined
  }
  const [group, provider] = [text('groupRef'), text('provider')]
  const of = group === undefined ? '' : ` of the group ${group}`
  return `*${escaped(eventType)}*${of}${provider === undefined ? '' : ` at ${provider}`}`
}

/** The JSON, without what would end the block. A text that is too long ends with the number of characters left out. */
function block(body: Buffer): string {
  const characters = [...body.toString().replaceAll('```', "'''")]
  let text = ''
  for (const [index, character] of characters.entries()) {
    if (text.length >= lengthMax) return `${text}… (${characters.length - index} more characters)`
    text += escapes[character] ?? character
  }
  return text
}

const escaped = (text: string) => text.replace(/[&<>]/g, (character) => escapes[character] ?? character)
