import { type Static, Type } from 'typebox'
import { Enum, named, secret, Timestamp } from '../../../../kernel/http/index.ts'
import type { FactorRow } from './factor-store.ts'
import type { AddedFactor } from './set-up.ts'

export const Factor = named(
  'Factor',
  Type.Object(
    {
      id: Type.String({ description: 'Id of the factor.' }),
      kind: Enum(['totp', 'passkey'], { description: '`totp`: an authenticator app. `passkey`: a passkey.' }),
      name: Type.String({ description: 'Its name, as you chose it.' }),
      createTime: Timestamp,
      lastUseTime: Type.Optional(
        Type.Unsafe<Date | string>({
          ...Timestamp,
          description: 'When it was last used. Absent before the first use.',
        }),
      ),
    },
    { description: 'A second factor of a person. Its secret is never shown.' },
  ),
)
export type Factor = Static<typeof Factor>

const RecoveryCodeList = secret(
  Type.Array(Type.String(), {
    description:
      'Ten recovery codes, each for one use. Shown only here: store them where you find them without your device.',
  }),
)

export const RecoveryCodes = named(
  'RecoveryCodes',
  Type.Object({ recoveryCodes: RecoveryCodeList }, { description: 'New recovery codes.' }),
)

export const NewFactor = named(
  'NewFactor',
  Type.Object(
    { factor: Factor, recoveryCodes: Type.Optional(RecoveryCodeList) },
    { description: 'A factor that was set up. The first one of an account brings recovery codes.' },
  ),
)

export const FactorName = Type.Optional(
  Type.String({ maxLength: 100, description: 'A name for the factor, such as `Phone`. Default: its kind.' }),
)

/** A code of the second step, as a person types it. */
export const SubmittedCode = (description: string) => secret(Type.String({ minLength: 1, maxLength: 100, description }))

export function factorResource(row: FactorRow): Factor {
  return {
    id: row.id,
    kind: row.kind,
    name: row.name,
    createTime: row.create_time,
    ...(row.use_time && { lastUseTime: row.use_time }),
  }
}

export function newFactorResource({ factor, recoveryCodes }: AddedFactor): Static<typeof NewFactor> {
  return { factor: factorResource(factor), ...(recoveryCodes && { recoveryCodes }) }
}
