import { type FailureRow, failureTable } from '../packages/server/src/features/provider-calls/calls/index.ts'

const words = {
  read: {
    retry: 'retries',
    wait: 'waits, and every request of the connection with it',
    yield: 'waits for the next permit',
    restart: 'reads the window again',
    reconnect: 'fails, and pauses until the account is connected again',
    fail: 'fails',
  },
  write: {
    retry: 'retries',
    next: 'the record fails; the next one is sent',
    stop: 'fails, with all later records',
  },
  subscribe: { retry: 'retries', fail: 'fails' },
  event: { wait: 'waits for the record', skip: 'is delivered without the record' },
  check: { retry: 'not known; checks again', unreachable: 'not known', refused: 'refused' },
} as const

/** The page `docs/provider-failures.md`: what each failure of a request to a provider leads to. */
export function failuresPage(): string {
  const rows: FailureRow[] = Object.values(failureTable)
  return [
    '# Provider failures',
    '',
    'A request to a provider can fail in many ways. This page shows what Mortise does next in each case. It is written from',
    'the one table that all parts of Mortise use.',
    '',
    '- **Retries** have growing delays. If the provider sends `Retry-After`, Mortise waits as long as it asks.',
    '  [Reading](reading.md#rate-limits-errors-and-retries) and [writing](writing.md#asynchronous-writes) explain the limits.',
    '- **A create is not repeated** if the provider may have received it, unless the provider takes an idempotency key.',
    '- **A fault of the service** before an asynchronous write was sent does not fail it. Mortise retries until its deadline.',
    '- **Writes that you wait for** are sent once. “Retries” then means that all later records fail too.',
    '',
    '## Background work',
    '',
    table(
      ['What happens', 'A read', 'An asynchronous write', 'Setting up a subscription', 'An event'],
      rows.map(({ happened, read, write, mayBeDone, subscribe, event }) => [
        happened,
        words.read[read],
        `${words.write[write]}${mayBeDone && write === 'retry' ? ', except creates' : ''}`,
        words.subscribe[subscribe],
        words.event[event],
      ]),
    ),
    '',
    '## Requests that wait for the provider',
    '',
    'Searches and requests for metadata end with a [problem](errors.md). The [proxy](proxy.md) passes on every answer of the',
    'provider. Other failures are problems of the proxy. A health check shows that the credential works.',
    '',
    table(
      ['What happens', 'Search, metadata', 'Proxy', 'Health check'],
      rows.map(({ happened, problem = 'unexpected', proxy, check }) => [
        happened,
        `\`${problem}\``,
        // A fault of the service is the same problem everywhere.
        proxy === undefined && problem !== 'unexpected' ? '–' : `\`${proxy ?? problem}\``,
        words.check[check],
      ]),
    ),
    '',
  ].join('\n')
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n')
}
