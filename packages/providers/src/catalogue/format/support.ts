import { type Static, Type } from 'typebox'
import { choice, map, strict } from './vocabulary.ts'

const flag = (description: string) => Type.Optional(Type.Boolean({ description }))

/** What the provider itself offers, as its file declares it. */
export const DeclaredSupport = Type.Object(
  {
    read: flag('Records can be read.'),
    write: flag('Records can be written.'),
    delete: flag('Records can be deleted.'),
    proxy: flag('Requests of one’s own can be passed on.'),
    subscribe: flag('Changes can be subscribed to.'),
    search: flag('Records can be searched by equality.'),
    bulkWrite: Type.Optional(
      Type.Array(choice(['insert', 'update', 'upsert', 'delete'], 'One operation.'), {
        description: 'What its bulk interface does; an empty list: nothing.',
        uniqueItems: true,
      }),
    ),
    batchWrite: Type.Optional(
      map(
        Type.Object(
          {
            maxRecords: Type.Optional(Type.Integer({ minimum: 1, description: 'Most records of one request.' })),
          },
          strict,
        ),
        'Operations (`create`, `update`, …) that take several records in one request; an empty map: none.',
      ),
    ),
  },
  { ...strict, description: 'What the provider itself can do. What is not said is not known, and counts as no.' },
)
export type DeclaredSupport = Static<typeof DeclaredSupport>

/** What subscribing at the provider takes (contract 3.15). */
export const SubscribeRequirements = Type.Object(
  {
    registration: flag('Something is registered at the provider first.'),
    maintenance: flag('Subscriptions end and have to be renewed.'),
    postProcess: flag('Events have to be completed after they came.'),
    subscribeByAPI: flag('Subscriptions are made through the provider’s API.'),
  },
  { ...strict, description: 'What subscribing takes.' },
)
export type SubscribeRequirements = Static<typeof SubscribeRequirements>
