import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { verifyWebhook } from '@mortise/client'
import { expect, test } from 'vitest'
import { sendCommand } from './send-command.ts'

const secret = `whsec_${Buffer.from('a secret of the destination').toString('base64')}`

test('a shell sends what a receiver verifies, whatever the body has in it', async () => {
  const payload = { text: `it's "quoted" $HOME \`id\` \\ %s ü`, list: [1, { a: null }] }
  const received: { body: string; headers: Record<string, string | string[] | undefined> }[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      received.push({ body: Buffer.concat(parts).toString(), headers: request.headers })
      response.end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const command = sendCommand({
      messageId: '0198c0de-0000-7000-8000-000000000000',
      payload,
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
      headers: { 'X-Team': "it's growth" },
      destinationName: 'events',
    })
    // The reader fills in the secret: the command has none.
    expect(command).not.toContain(secret)
    await promisify(execFile)('sh', ['-c', command.replace('whsec_…', secret)])
  } finally {
    await new Promise((resolve) => server.close(resolve))
  }
  const [request] = received
  expect(received).toHaveLength(1)
  expect(request?.headers['x-team']).toBe("it's growth")
  expect(request?.headers['webhook-id']).toBe('0198c0de-0000-7000-8000-000000000000')
  expect(verifyWebhook(request?.body ?? '', request?.headers ?? {}, secret)).toEqual(payload)
})

test('a masked address is named as such, and a long body is fetched', () => {
  const command = sendCommand({
    messageId: 'm1',
    payload: { text: 'x'.repeat(5_000) },
    url: 'https://example.com/***',
    headers: {},
    destinationName: 'events',
  })
  expect(command).toContain('The secret and the whole URL: mortise get destination events --secrets')
  expect(command).toContain('mortise get message m1 --format json')
  expect(command.length).toBeLessThan(1_000)
})
