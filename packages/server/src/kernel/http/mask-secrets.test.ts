import { Type } from 'typebox'
import { expect, it } from 'vitest'
import { maskSecrets } from './mask-secrets.ts'
import { secret } from './schema.ts'

it('masks what the schema marks as secret, wherever it is', () => {
  const hidden = secret(Type.String())
  const schema = Type.Union([
    Type.Object({ list: Type.Array(Type.Object({ value: hidden, name: Type.String() })) }),
    Type.Object({ others: Type.Record(Type.String(), hidden) }),
  ])
  expect(maskSecrets(schema, { list: [{ value: 'a', name: 'b' }], others: { c: 'd' } })).toEqual({
    list: [{ value: '***', name: 'b' }],
    others: { c: '***' },
  })
})

it('masks what a name says is secret, whatever its type, although the schema does not mark it', () => {
  const value = {
    token: 'a',
    accessTokens: ['b'],
    clientSecret: { value: 'c' },
    apiKey: 4,
    hasPassword: true,
    keyId: 'e',
    note: null,
  }
  expect(maskSecrets(Type.Object({}), value)).toEqual({
    token: '***',
    accessTokens: '***',
    clientSecret: '***',
    apiKey: '***',
    hasPassword: true,
    keyId: 'e',
    note: null,
  })
})
