import { type Static, Type } from 'typebox'
import { choice, map, strict } from './vocabulary.ts'

const flag = (description: string) => Type.Optional(Type.Boolean({ description }))

/** What the provider itself offers, as its file declares it. */
export const DeclaredSupport = Type.Object(
  {
    read: flag('Records can be read.'),
    write: flag('Records can be written.'),
    delete: flag('Records can be deleted.'),
    proxy: flag('Requests can be proxied.'),
    subscribe: flag('Changes can be subscribed to.'),
    search: flag('Records can be searched for equal values.'),
    bulkWrite: Type.Optional(
      Type.Array(choice(['insert', 'update', 'upsert', 'delete'], 'An operation.'), {
        description: 'Operations of the bulk API. An empty list: none.',
        uniqueItems: true,
      }),
    ),
    batchWrite: Type.Optional(
      map(
        Type.Object(
          {
            maxRecords: Type.Optional(
              Type.Integer({ minimum: 1, description: 'Largest number of records in one request.' }),
            ),
          },
          strict,
        ),
        'Operations (`create`, `update`, …) that accept several records in one request. An empty map: none.',
      ),
    ),
  },
  { ...strict, description: 'What the provider’s API can do. What is not declared counts as not supported.' },
)
export type DeclaredSupport = Static<typeof DeclaredSupport>

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
