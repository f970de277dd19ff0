import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

test('flags win over the environment, which wins over the defaults', () => {
  const config = readConfig(['--port', '1', '--rate-limit=0'], { PORT: '2', CONTACTS: '3' })
  expect(config).toEqual({ port: 1, host: '127.0.0.1', apiKey: 'demo-key', contacts: 3, seed: 1, rateLimit: 0 })
})

test.each([[['--port', 'x']], [['--contacts=-1']], [['--what']]])('%j is refused', (args) => {
  expect(() => readConfig(args, {})).toThrow(TypeError)
})
