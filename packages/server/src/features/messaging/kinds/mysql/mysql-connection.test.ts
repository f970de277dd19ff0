import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { testCertificate } from '../../../../kernel/net/test-certificate.ts'
import { namesAt, openForTest, testMessages } from '../conformance.testkit.ts'
import { type MysqlTarget, startMysqlTarget } from './conformance.testkit.ts'
import { mysql } from './index.ts'
import { hasMysqlServer } from './mysql-server.testkit.ts'
import { startTlsFront } from './tls-front.testkit.ts'

it('a server with TLS has a name, which its certificate is compared with', () => {
  const read = (url: string) =>
    mysql.readSettings({ url }, 'metadata', { guard: openForTest(mysql, { url: 'mysql://a@b.test/c' }).services.guard })
  expect(read('mysql://me@127.0.0.1/app').issues).toMatchObject([{ detail: expect.stringContaining('host name') }])
  expect(read('mysql://me@127.0.0.1/app?ssl-mode=DISABLED').issues).toEqual([])
  expect(read('mysql://me@db.example.com/app').issues).toEqual([])
})

describe.skipIf(!(await hasMysqlServer()))('a connection', () => {
  let target: MysqlTarget
  const closing: (() => Promise<void> | void)[] = []
  beforeEach(async () => {
    target = await startMysqlTarget()
    closing.push(target.stop)
  })
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close()
  })
  const open = (settings: object) => {
    const opened = openForTest(mysql, settings, { names: namesAt('127.0.0.1') })
    closing.push(opened.close)
    return opened
  }
  const urlOf = (host: string, port: number) =>
    target.url.replace('127.0.0.1', host).replace(`:${target.port}/`, `:${port}/`).replace('?ssl-mode=DISABLED', '')

  it('with TLS is made to the host that the certificate names, and to no other', async () => {
    const front = await startTlsFront()
    closing.push(front.stop)
    const ca = { caCertificate: testCertificate.cert }
    const [result] = await open({ url: urlOf('name.example', front.port), ...ca }).send(testMessages('x'))
    expect(result).toEqual({ outcome: 'delivered' })
    for (const settings of [
      { url: urlOf('name.example', front.port) },
      { url: urlOf('other.example', front.port), ...ca },
    ])
      await expect(open(settings).send(testMessages('y'))).rejects.toMatchObject({ kind: 'tls' })
    expect(await target.received()).toHaveLength(1)
  })

  it('is not made without TLS if the server has none', async () => {
    const { send } = open({ url: urlOf('name.example', target.port) })
    await expect(send(testMessages('x'))).rejects.toMatchObject({
      kind: 'tls',
      message: expect.stringContaining('does not accept TLS'),
    })
    expect(target.sent().toString('latin1')).not.toContain('kind_')
  })

  it('gives a server no file that it asks for', async () => {
    const { send } = open(target.settings)
    await send(testMessages('x'))
    target.behave('asks for a file')
    await expect(send(testMessages('y'))).rejects.toThrow()
    expect(target.sent().toString()).not.toContain('"name"')
  })

  it('ends when a server answers without end', async () => {
    const { send } = open(target.settings)
    await send(testMessages('x'))
    target.behave('floods')
    await expect(send(testMessages('y'))).rejects.toMatchObject({ kind: 'too_large' })
  })
})
