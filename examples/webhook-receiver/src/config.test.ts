import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

test('flags win over the environment, which wins over the defaults', () => {
  const config = readConfig(['--port', '1'], { PORT: '2', WEBHOOK_SECRET: 'whsec_YQ==' })
  expect(config).toEqual({ port: 1, host: '127.0.0.1', secret: 'whsec_YQ==' })
  expect(readConfig([], {})).toEqual({ port: 4300, host: '127.0.0.1', secret: undefined })
})

test.each([[['--port', 'x']], [['--what']]])('%j is refused', (args) => {
  expect(() => readConfig(args, {})).toThrow(TypeError)
})
