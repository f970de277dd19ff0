import type { EventName } from '@lit/react'
import type { ForwardRefExoticComponent, HTMLAttributes, RefAttributes } from 'react'
import type { MortiseElement } from '../elements/element.ts'
import type { elementEvents } from '../elements/events.ts'
import type { CallbacksOf } from './callbacks.ts'

type CommonProperty =
  | 'server'
  | 'project'
  | 'token'
  | 'getToken'
  | 'apiKey'
  | 'groupRef'
  | 'consumerRef'
  | 'language'
  | 'theme'
  | 'mode'
  | 'messages'
  | 'windows'

type Callbacks<Events> = {
  [Name in keyof Events]?: Events[Name] extends EventName<infer Fired> ? ((event: Fired) => void) | undefined : never
}

/** The React component of an element: its properties and callbacks, and the attributes of every HTML element. */
export type WrappedElement<
  Element extends MortiseElement,
  Tag extends keyof typeof elementEvents,
  Own extends keyof Element = never,
> = ForwardRefExoticComponent<
  Omit<HTMLAttributes<Element>, CommonProperty | Own | keyof CallbacksOf<Tag> | 'children'> &
    Partial<Pick<Element, CommonProperty | Own>> &
    Callbacks<CallbacksOf<Tag>> &
    RefAttributes<Element>
>
