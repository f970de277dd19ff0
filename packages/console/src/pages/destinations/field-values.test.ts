import { expect, it } from 'vitest'
import { changedPaths, settingsOf, textsOf } from './field-values.ts'
import { kindFields } from './kind-fields.ts'

const metadata = { url: 'https://a.test/', headers: { 'X-Team': '***' } }

it('fields have the texts of settings, and settings those of fields', () => {
  const texts = textsOf(kindFields.webhook, metadata)
  const filled = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''))
  expect(filled).toEqual({ url: 'https://a.test/', headers: 'X-Team: ***' })
  expect(settingsOf(kindFields.webhook, texts)).toEqual({ metadata, secrets: {} })
})

it('an update names what differs, and a secret only if it is typed', () => {
  const values = { ...textsOf(kindFields.kinesis, undefined), streamName: 'events', region: 'eu-central-1' }
  const destination = { metadata: { streamName: 'events', region: 'eu-west-1' } }
  expect(changedPaths(kindFields.kinesis, values, destination)).toEqual(['metadata.region'])
  const typed = { ...values, awsSecretKey: 'x' }
  expect(changedPaths(kindFields.kinesis, typed, destination)).toEqual(['metadata.region', 'secrets.awsSecretKey'])
  expect(settingsOf(kindFields.kinesis, typed)).toEqual({
    metadata: { streamName: 'events', region: 'eu-central-1' },
    secrets: { awsSecretKey: 'x' },
  })
})

it('a change of the URL names the masked headers, which may get another receiver', () => {
  const paths = (values: object) =>
    changedPaths(kindFields.webhook, { ...textsOf(kindFields.webhook, metadata), ...values }, { metadata })
  expect(paths({ url: 'https://b.test/' })).toEqual(['metadata.url', 'metadata.headers'])
  expect(paths({ url: 'https://b.test/', headers: 'X-Team: growth' })).toEqual(['metadata.url', 'metadata.headers'])
  expect(paths({ bodyTemplate: 'result' })).toEqual(['metadata.bodyTemplate'])
})

it('yes and no are sent as true and false, and nothing as nothing', () => {
  for (const [text, sent] of [
    ['true', { tls: true }],
    ['false', { tls: false }],
    ['', {}],
  ] as const) {
    expect(settingsOf(kindFields.rabbitmq, { tls: text }).metadata).toEqual(sent)
    expect(textsOf(kindFields.rabbitmq, sent)).toMatchObject({ tls: text })
  }
})

it('a number is sent as one, and an emptied setting is removed', () => {
  const values = { url: 'rediss://a.test', stream: 's', maxLength: '100' }
  expect(settingsOf(kindFields['redis-stream'], values).metadata).toEqual({ ...values, maxLength: 100 })
  const emptied = { ...values, maxLength: '' }
  expect(
    changedPaths(kindFields['redis-stream'], emptied, {
      metadata: settingsOf(kindFields['redis-stream'], values).metadata,
    }),
  ).toEqual(['metadata.maxLength'])
})
