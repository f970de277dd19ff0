import type { WriteBody, Written } from './write-requests.ts'

/** What came of one record. */
export interface Outcome {
  succeeded: boolean
  /** For people. */
  text: string
}

const done = { create: 'created', update: 'updated', delete: 'deleted' }

/** What came of each record of a request that was waited for. */
export function outcomesOf({ type, record }: WriteBody, { result, results, errors = [] }: Written): Outcome[] {
  const general = errors.map(({ message }) => message)
  return (results ?? [{ success: false, ...result, errors }]).map(({ success, recordId, errors: refusals = [] }) => {
    const id = recordId ?? (record?.['id'] === undefined ? '' : String(record['id']))
    if (success) return { succeeded: true, text: `${id} ${done[type]}`.trimStart() }
    const messages = refusals.length > 0 ? refusals.map(({ message }) => message) : general
    return { succeeded: false, text: `${id} not ${done[type]}: ${oneAfterTheOther(messages)}`.trimStart() }
  })
}

/** Providers say what is wrong in sentences, or in pieces without an end. */
function oneAfterTheOther(messages: readonly string[]): string {
  return messages.map((text, at) => (at < messages.length - 1 && !/[.!?;]$/.test(text) ? `${text};` : text)).join(' ')
}
