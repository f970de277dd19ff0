import type { EventName } from '@lit/react'
import { elementEvents, type MortiseEventMap } from '../elements/events.ts'

const callbackNames = {
  'mortise-connected': 'onConnected',
  'mortise-installed': 'onInstalled',
  'mortise-changed': 'onChanged',
  'mortise-removed': 'onRemoved',
  'mortise-closed': 'onClosed',
  'mortise-error': 'onError',
} as const satisfies Record<keyof MortiseEventMap, string>

type Tag = keyof typeof elementEvents

/** The events of an element by the names of their callbacks. */
export type CallbacksOf<Name extends Tag> = {
  [Event in (typeof elementEvents)[Name][number] as (typeof callbackNames)[Event]]: EventName<MortiseEventMap[Event]>
}

export function callbacksOf<Name extends Tag>(tag: Name): CallbacksOf<Name> {
  return Object.fromEntries(elementEvents[tag].map((event) => [callbackNames[event], event])) as CallbacksOf<Name>
}
