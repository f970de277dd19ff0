import { expect, test } from 'vitest'
import { isSecretName, pathWithoutSecrets, withoutSecrets } from './secrets.ts'

test.each([
  'clientSecret',
  'password',
  'newPassword',
  'apiKey',
  'api_key',
  'accessToken',
  'Authorization',
  'key',
  'code',
])('the value of %s is not kept', (name) => {
  expect(isSecretName(name)).toBe(true)
  expect(withoutSecrets(JSON.stringify({ a: [{ [name]: 'the value' }] }))).not.toContain('the value')
  expect(pathWithoutSecrets(`/v1/things?a=b&${name}=the-value&c`)).toBe(`/v1/things?a=b&${name}=&c`)
})

test('what is no secret is kept', () => {
  const body = { provider: 'hubspot', scopes: ['a'], metadata: { codes: 1 } }
  expect(JSON.parse(withoutSecrets(JSON.stringify(body)))).toEqual(body)
  expect(pathWithoutSecrets('/v1/things?pageSize=10&name=a%20b')).toBe('/v1/things?pageSize=10&name=a%20b')
  expect(pathWithoutSecrets('/v1/things')).toBe('/v1/things')
})

test('secrets in objects of a secret name go with them', () => {
  expect(withoutSecrets('{"credentials":{"user":"ada","word":"the value"}}')).not.toContain('the value')
})

test('a body that is not JSON, or long, is not kept', () => {
  for (const body of ['password=the-value', '{"password":"the-value"', '', JSON.stringify({ a: 'x'.repeat(5_000) })])
    expect(withoutSecrets(body)).toBe('')
})
