import type { Webhooks } from '../../catalogue/format/webhooks.ts'
import { isObject, scalarText } from '../path.ts'
import { compileEventList } from './event-list.ts'
import { compileLocation, type Headers } from './parse-events.ts'

/** What a notification about a registration asks for. */
export type LifecycleKind = 'renew' | 'lost' | 'missed'

const kinds = ['renew', 'lost', 'missed'] as const

/** Returns what the notifications of a payload ask for; empty for ordinary events. */
export function lifecycleOf({ lifecycle, event }: Webhooks, payload: unknown, headers: Headers): Set<LifecycleKind> {
  if (lifecycle === undefined) return new Set()
  const nameOf = compileLocation(lifecycle.name)
  const found = compileEventList(event)(payload).filter(({ raw }) => isObject(raw))
  const names = new Set(found.map(({ raw, outer }) => scalarText(nameOf(raw, payload, headers, outer))))
  return new Set(kinds.filter((kind) => lifecycle[kind]?.some((name) => names.has(name))))
}
