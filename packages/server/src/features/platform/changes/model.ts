import { type Static, Type } from 'typebox'
import { Enum, named } from '../../../kernel/http/index.ts'

export const changeKinds = [
  'installation',
  'connection',
  'integration',
  'destination',
  'provider-app',
  'operation',
  'message',
  'provider-event',
  'all',
] as const
export type ChangeKind = (typeof changeKinds)[number]

export const Change = named(
  'Change',
  Type.Object(
    {
      kind: Enum([...changeKinds], {
        description:
          'Kind of the resources that changed. `all`: anything may have changed. Sent when the stream begins, and after a gap.',
      }),
      id: Type.Optional(
        Type.String({
          description:
            'Id of the resource. Absent if several changed, and for operations, messages and provider events.',
        }),
      ),
      groupRef: Type.Optional(Type.String({ description: 'Your id of the group that it belongs to.' })),
      installationId: Type.Optional(
        Type.String({ description: 'The installation of an operation, a message or a provider event, if it is one.' }),
      ),
    },
    { description: 'Something of the project changed. Request it again if you show it.' },
  ),
)
export type Change = Static<typeof Change>
