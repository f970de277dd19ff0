import type { ProblemDeclaration } from '../packages/server/src/kernel/http/index.ts'

/** The page `docs/errors.md`: every problem that the service can answer with. */
export function errorsPage(problems: Iterable<ProblemDeclaration>): string {
  const rows = [...problems]
    .toSorted((a, b) => a.status - b.status || (a.code < b.code ? -1 : 1))
    .map(({ code, status, detail, remedy, retryable }) =>
      row([`\`${code}\``, String(status), detail, remedy ?? '–', retryable ? 'yes' : 'no']),
    )
  return [
    '# Errors',
    '',
    'Each response that is not 2xx is a problem: `application/problem+json` (RFC 9457).',
    '',
    '- `context.code` is the stable code in the table below.',
    '- `detail` says what went wrong this time, and `remedy` what to do.',
    '- `requestId`, also in the header `X-Request-Id`, finds the request in the log.',
    '- `issues` lists invalid input, each with `in`, `name`, `value` and `detail`. It has 100 items at most; `context.issuesTotal` is the number of all. Then `causes` has the `detail` of each, and `remedy` is theirs if it is the same for all.',
    '- If `retryable` is true, the same request may succeed later, but not before `retryAfter`.',
    '',
    row(['Code', 'Status', 'Meaning', 'What to do', 'Retry']),
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

function row(cells: string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
}
