import { Redis } from 'ioredis'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openForTest, outcomeOf, testMessages } from '../conformance.testkit.ts'
import { redisStream } from './index.ts'
import { hasRedisServer, type RedisServer, startRedisServer } from './redis-server.testkit.ts'
import { parseRedisUrl } from './settings.ts'

describe('the URL', () => {
  it.each([
    ['rediss://redis.example.com', { port: 6379, tls: true, database: 0 }],
    ['redis://:pass%3Aword@[::1]:7000/5', { host: '::1', port: 7000, tls: false, password: 'pass:word', database: 5 }],
    ['rediss://mortise:p@redis.example.com:443/', { username: 'mortise', password: 'p', port: 443 }],
  ])('%s is read', (url, target) => {
    expect(parseRedisUrl(url)).toMatchObject(target)
  })

  it.each([
    'redis:',
    'redis://',
    'https://redis.example.com',
    'rediss://redis.example.com/0?tls=no',
    'rediss://redis.example.com/0#x',
    'rediss://redis.example.com/name',
    'rediss://re%20dis.example.com',
    'rediss://%zz@redis.example.com',
  ])('%s is refused', (url) => {
    expect(parseRedisUrl(url)).toEqual(expect.any(String))
  })

  it.each(['redis://203.0.114.5:6379', 'rediss://10.1.2.3:6379'])('%s is not connected to', async (url) => {
    const { send, close, services } = openForTest(redisStream, { url, stream: 's' }, { allow: '' })
    const { issues } = redisStream.readSettings({ url, stream: 's' }, 'metadata', services)
    expect(issues.map(({ name }) => name)).toEqual(['metadata.url'])
    expect(await outcomeOf(send(testMessages('x')))).toBe('retry')
    await close()
  })
})

describe.skipIf(!hasRedisServer())('a real Redis', () => {
  let server: RedisServer
  let redis: Redis
  const closing: (() => Promise<void>)[] = []
  beforeAll(async () => {
    server = await startRedisServer()
    redis = new Redis({ port: server.port, host: '127.0.0.1', db: 2 })
    await redis.call('ACL', 'SETUSER', 'mortise', 'on', '>a-secret', '~messages', '~other', '~many', '+xadd', '+select')
  })
  afterEach(async () => {
    for (const close of closing.splice(0)) await close()
  })
  afterAll(async () => {
    redis?.disconnect()
    await server?.stop()
  })

  const open = (settings: { user?: string; database?: number; stream?: string; maxLength?: number } = {}) => {
    const { user = 'mortise:a-secret@', database = 2, stream = 'messages', maxLength } = settings
    const url = `redis://${user}127.0.0.1:${server.port}/${database}`
    const opened = openForTest(redisStream, { url, stream, ...(maxLength !== undefined && { maxLength }) })
    closing.push(opened.close)
    return opened
  }
  const entries = async (stream: string) =>
    (await redis.xrange(stream, '-', '+')).map(([id, pairs]) => {
      const fields: Record<string, string> = {}
      for (let at = 0; at < pairs.length; at += 2) fields[pairs[at] ?? ''] = pairs[at + 1] ?? ''
      return { id, fields }
    })

  it('gets entries in order, which a consumer can verify', async () => {
    const { send, secret } = open()
    const messages = testMessages('ä', 'two', 'three')
    const results = await send(messages)
    expect(results.map(({ outcome }) => outcome)).toEqual(['delivered', 'delivered', 'delivered'])
    const found = await entries('messages')
    expect(found.map(({ id }) => id)).toEqual(results.map(({ response }) => response?.toString()))
    for (const [index, { fields }] of found.entries()) {
      const { id, body } = messages[index] ?? { id: '', body: '' }
      expect(fields).toMatchObject({ id, kind: 'notification', eventType: 'destination.test', project: 'project-1' })
      expect(fields['body']).toBe(body.toString())
      expect(new Webhook(secret).verify(fields['body'] ?? '', fields)).toEqual(JSON.parse(body.toString()))
    }
  })

  it('keeps about as many entries as it is told', async () => {
    const { send } = open({ stream: 'many', maxLength: 100 })
    for (let batch = 0; batch < 10; batch++) await send(testMessages(...Array.from({ length: 100 }, (_, n) => `${n}`)))
    expect(await redis.xlen('many')).toBeLessThan(400)
  })

  it.each<[string, Parameters<typeof open>[0], string]>([
    ['a wrong password', { user: 'mortise:wrong-one@' }, 'WRONGPASS'],
    ['no permission', { stream: 'forbidden' }, 'NOPERM'],
    ['a key that is no stream', { stream: 'other' }, 'WRONGTYPE'],
    ['no such database', { database: 9 }, 'ERR'],
  ])('is asked again after %s', async (_, settings, code) => {
    await redis.set('other', 'text')
    const [result] = await open(settings).send(testMessages('x'))
    expect(result).toMatchObject({ outcome: 'retry', error: expect.stringContaining(code) })
    expect(JSON.stringify(result)).not.toContain('a-secret')
  })

  it('is asked again when it is full', async () => {
    await redis.config('SET', 'maxmemory', '1')
    const { send } = open()
    expect(await send(testMessages('x'))).toMatchObject([{ outcome: 'retry', error: expect.stringContaining('OOM') }])
    await redis.config('SET', 'maxmemory', '0')
    expect(await outcomeOf(send(testMessages('x')))).toBe('delivered')
  })

  it('that restarts is connected to again', async () => {
    const another = await startRedisServer()
    const { send, close } = openForTest(redisStream, { url: `redis://127.0.0.1:${another.port}`, stream: 'messages' })
    expect(await outcomeOf(send(testMessages('before')))).toBe('delivered')
    await another.stop()
    expect(await outcomeOf(send(testMessages('lost')))).toBe('retry')
    const restarted = await startRedisServer(another)
    expect(await outcomeOf(send(testMessages('after')))).toBe('delivered')
    await close()
    await restarted.stop()
  })
})
