import type { KindHarness } from '../conformance.testkit.ts'
import { startFakeRedis } from './fake-redis.testkit.ts'

const secret = 'kLq82nVx9fGh'

/** Replies by which the fake server refuses each command that appends. */
const errors: Record<string, string> = {
  OOM: "-OOM command not allowed when used memory > 'maxmemory'.",
  READONLY: "-READONLY You can't write against a read only replica.",
  LOADING: '-LOADING Redis is loading the dataset in memory',
  MISCONF: '-MISCONF Redis is configured to save RDB snapshots',
  NOAUTH: '-NOAUTH Authentication required.',
  NOPERM: "-NOPERM User mortise has no permissions to run the 'xadd' command",
  WRONGTYPE: '-WRONGTYPE Operation against a key holding the wrong kind of value',
  MOVED: '-MOVED 3999 127.0.0.1:6381',
  'another error': '-ERR something else',
  'a message that is too large': '-ERR Protocol error: invalid bulk length',
  'no id': '+OK',
  'a number': ':5',
  nil: '$-1',
  'half an answer': '$15\r\n17000000',
  'an answer without end': `$${500 * 1024 * 1024}\r\n${'x'.repeat(1_000_000)}`,
  HTML: 'HTTP/1.1 400 Bad Request\r\nContent-Type: text/html\r\n\r\n<html>',
}

export const harness: KindHarness = {
  settingsFor: (host, port) => ({ url: `rediss://mortise:${secret}@${host}:${port}/0`, stream: 'messages' }),
  wrong: {
    input: { url: 'https://example.com', stream: '', maxLength: 0.5 },
    names: ['stream', 'maxLength', 'url'],
  },
  failures: {
    ...Object.fromEntries(Object.keys(errors).map((name) => [name, 'retry'])),
    'a message that is too large': 'refused',
    'a wrong password': 'retry',
    'no such database': 'retry',
    'hangs up': 'retry',
    'hangs up before a command': 'retry',
  },
  async start() {
    const fake = await startFakeRedis({ errors, secret })
    return {
      ...fake,
      settings: { url: `redis://mortise:${secret}@127.0.0.1:${fake.port}/3`, stream: 'messages', maxLength: 1_000 },
      secret,
    }
  },
}
