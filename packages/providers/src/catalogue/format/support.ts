import { type Static, Type } from 'typebox'
import { choice, name, strict } from './vocabulary.ts'

const flag = (description: string) => Type.Optional(Type.Boolean({ description }))

/** What a manifest may ask for although no part of the file describes it. Everything else follows from the file. */
export const Undescribed = Type.Array(choice(['read', 'write', 'subscribe'], 'An action.'), {
  description: 'What the API has and this file does not describe. A manifest may use it, but cannot be installed.',
  minItems: 1,
  uniqueItems: true,
})
export type Undescribed = Static<typeof Undescribed>

/** Where the objects are, for an entry that has none. */
export const SeeAlso = Type.Object(
  {
    provider: name('Name of the provider.'),
    module: Type.Optional(name('Module that has the objects.')),
  },
  {
    ...strict,
    description:
      'Another provider that describes objects of this API. Ignored if this file has objects. Accounts must be connected to that provider.',
  },
)

/** What subscribing at the provider takes (contract 3.15). */
export const SubscribeRequirements = Type.Object(
  {
    registration: flag('A subscription has to be registered at the provider.'),
    maintenance: flag('Subscriptions expire and have to be renewed.'),
    postProcess: flag('Events have to be completed after they arrive.'),
    subscribeByAPI: flag('The provider has an API for subscriptions.'),
  },
  { ...strict, description: 'What subscriptions require.' },
)
export type SubscribeRequirements = Static<typeof SubscribeRequirements>
