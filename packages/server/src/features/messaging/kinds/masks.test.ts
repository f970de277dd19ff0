import { expect, test } from 'vitest'
import { maskedUrl, secretsInUrl, withStoredValues } from './masks.ts'
import { webhook } from './webhook/index.ts'

test.each([
  'https://example.com',
  'https://example.com/',
  'http://127.0.0.1:4199/hook',
  'https://hooks.example.com:8443/v1/crm-events/2026/IncomingWebhook.php',
  'http://[::1]:4100/mortise-dev/notifications_eu2',
])('%s holds no secret and is shown as it is', (url) => {
  expect(maskedUrl(url)).toBe(url)
  expect(secretsInUrl(url)).toEqual([])
})

test.each([
  ['https://ada:secret@example.com/hook', 'https://***@example.com/hook'],
  ['https://token@example.com', 'https://***@example.com'],
  ['https://hooks.slack.com/services/T0001AB23/B00042CD/vXb83hKq9LmZ', 'https://hooks.slack.com/services/***/***/***'],
  ['https://discord.com/api/webhooks/1098234512345678901/aB-3_x9', 'https://discord.com/api/webhooks/***/***'],
  ['https://hooks.zapier.com/hooks/catch/123456/o3xk2ab/', 'https://hooks.zapier.com/hooks/catch/***/***/'],
  ['https://hook.eu1.make.com/qpxzkwjvbtrnmhgfdlsc', 'https://hook.eu1.make.com/***'],
  ['https://n8n.example.com/webhook/0195f2a4-9c1e-7b3d-8a56-2f4e6c8d0b12', 'https://n8n.example.com/webhook/***'],
  [
    'https://api.telegram.org/bot110201543:AAHdqTcvCH1vGWJxfSeof/sendMessage',
    'https://api.telegram.org/***/sendMessage',
  ],
  ['https://chat.example.com/messages?key=abc&token=d%2Fe', 'https://chat.example.com/messages?key=***&token=***'],
  ['https://example.com/hook?4f9c1e#part', 'https://example.com/hook?***#***'],
  ['https://example.com\\a1b2c3d4e5\\in', 'https://example.com\\***\\in'],
  ['https:example.com/a1b2c3d4e5', '***'],
])('of %s is shown %s', (url, shown) => {
  expect(maskedUrl(url)).toBe(shown)
  expect(secretsInUrl(url).length).toBeGreaterThan(0)
})

test('a path of 100,000 letters in mixed case is masked', () => {
  for (const path of [`${'a'.repeat(40)}A`, `${'a'.repeat(99_999)}A`, `${'Aaa'.repeat(33_333)}A`])
    expect(maskedUrl(`https://example.com/${path}`)).toBe('https://example.com/***')
})

test('headers keep their names', () => {
  const headers = { Authorization: 'Bearer abc', 'X-Empty': '' }
  expect(webhook.maskSettings({ url: 'https://example.com', headers })).toEqual({
    url: 'https://example.com',
    headers: { Authorization: '***', 'X-Empty': '***' },
  })
})

test('what was shown stands for what is stored, under a header name in any case; nothing else does', () => {
  const stored = { url: 'https://example.com/a1b2c3d4e5', headers: { Authorization: 'Bearer abc' } }
  const masked = webhook.maskSettings(stored)
  expect(withStoredValues({ ...masked }, stored, masked)).toEqual(stored)
  expect(withStoredValues({ headers: { authorization: '***', 'X-New': '***' } }, stored, masked)).toEqual({
    headers: { authorization: 'Bearer abc', 'X-New': '***' },
  })
  expect(withStoredValues({ url: 'https://example.org/***' }, stored, masked)).toEqual({
    url: 'https://example.org/***',
  })
})
