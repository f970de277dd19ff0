import { type Static, Type } from 'typebox'
import { audited, Enum, named, Timestamp } from '../../../../kernel/http/index.ts'

const Counts = (what: string) =>
  Type.Object(
    {
      total: Type.Integer({ description: `Number of ${what}. It grows while \`isListed\` is false.` }),
      done: Type.Integer({ description: 'Those that have ended, including those that failed.' }),
      failed: Type.Integer({ description: 'Those that failed.' }),
    },
    { description: `How many ${what}.` },
  )

/** Number of failures that a resend shows. */
export const failuresShown = 100

export const ResendRequest = named(
  'ResendRequest',
  Type.Object(
    {
      integration: Type.Optional(
        Type.String({ minLength: 1, maxLength: 512, description: 'Id or name of an integration; all when absent.' }),
      ),
      groupRef: Type.Optional(
        Type.String({ minLength: 1, maxLength: 512, description: 'Your ref of a group; all groups when absent.' }),
      ),
      objectName: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 512,
          description: 'Name of an object, mapped or as the provider has it; all objects when absent.',
        }),
      ),
    },
    { description: 'What to resend: everything that goes to the destination, or a part of it.' },
  ),
)
export type ResendRequest = Static<typeof ResendRequest>

const ResendFailure = Type.Object({
  installationId: Type.String({ description: 'Id of the installation.' }),
  groupRef: Type.Optional(Type.String({ description: 'Its group. Absent if the installation was deleted.' })),
  integration: Type.Optional(
    Type.String({ description: 'Name of its integration. Absent if the installation was deleted.' }),
  ),
  objectName: Type.String({ description: 'The provider’s name of the object.' }),
  operationId: Type.Optional(Type.String({ description: 'Operation of the read. Absent if it did not start.' })),
  error: Type.String({ description: 'Why it failed, in a sentence.' }),
})

export const Resend = named(
  'Resend',
  Type.Object(
    {
      id: audited(Type.String({ description: 'Id of the resend.' })),
      destinationId: audited(Type.String({ description: 'Id of the destination.' })),
      integrationId: Type.Optional(audited(Type.String({ description: 'The only integration that is read.' }))),
      groupRef: Type.Optional(audited(Type.String({ description: 'The only group that is read.' }))),
      objectName: Type.Optional(audited(Type.String({ description: 'The only object that is read.' }))),
      status: Enum(['in_progress', 'success', 'failure', 'canceled'], {
        description: '`failure` if a read failed. The others have delivered their records.',
      }),
      waitsFor: Type.Optional(
        Enum(['destination'], { description: 'Present while it waits because the destination is disabled.' }),
      ),
      isListed: Type.Boolean({ description: 'Whether all installations are known, and the totals are final.' }),
      installations: Counts('installations'),
      reads: Counts('reads: objects of installations'),
      records: Type.Integer({ description: 'Records that were read so far.' }),
      failures: Type.Array(ResendFailure, {
        description: `Reads that failed: the first ${failuresShown}, by installation.`,
      }),
      createTime: Timestamp,
      endTime: Type.Optional(Timestamp),
    },
    { description: 'The newest resend of a destination.' },
  ),
)
export type Resend = Static<typeof Resend>
