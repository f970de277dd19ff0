import { type Static, Type } from 'typebox'
import { Enum, named, Timestamp } from '../../../kernel/http/index.ts'
import type { SessionRow } from './session-store.ts'

export const MySession = named(
  'MySession',
  Type.Object(
    {
      id: Type.String({ description: 'Id of the session.' }),
      kind: Enum(['api', 'browser', 'cli', 'agent'], {
        description:
          '`browser`: a cookie of the pages. `api`: a program with refresh tokens. `cli`: the command line `amp`. `agent`: an MCP client that you signed in.',
      }),
      createTime: Timestamp,
      lastUseTime: Type.Unsafe<Date | string>({ ...Timestamp, description: 'When it was last used, to the hour.' }),
      client: Type.Optional(
        Type.String({ description: 'The browser or program that signed in, such as `Firefox on Linux`, if known.' }),
      ),
      address: Type.Optional(Type.String({ description: 'The address that the sign-in came from, if known.' })),
      mayChange: Type.Optional(
        Type.Boolean({
          description: 'Of an agent: whether it may change what you may change. Otherwise it only reads.',
        }),
      ),
      current: Type.Boolean({ description: 'Whether it is the session of this request.' }),
    },
    { description: 'A session of a person. Its tokens are never shown.' },
  ),
)
export type MySession = Static<typeof MySession>

export function sessionResource(row: SessionRow, currentId: string): MySession {
  const client = row.user_agent === null ? undefined : row.kind === 'agent' ? row.user_agent : clientOf(row.user_agent)
  const times = [row.create_time, row.use_time, row.refresh_time].filter((time) => time !== null)
  return {
    id: row.id,
    kind: row.kind,
    createTime: row.create_time,
    lastUseTime: new Date(Math.max(...times.map((time) => time.getTime()))),
    ...(client !== undefined && { client }),
    ...(row.address !== null && { address: row.address }),
    ...(row.kind === 'agent' && { mayChange: row.may_change === true }),
    current: row.id === currentId,
  }
}

/** In this order, because browsers also name those that they are compatible with. */
const browsers: [name: string, mark: RegExp][] = [
  ['Edge', /\bEdgA?\//],
  ['Opera', /\bOPR\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Chrome|CriOS|HeadlessChrome)\//],
  ['Safari', /\bSafari\//],
]
const systems: [name: string, mark: RegExp][] = [
  ['Android', /\bAndroid\b/],
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
]

/** Returns a short name of what sent a user agent. */
export function clientOf(userAgent: string): string | undefined {
  const nameIn = (names: typeof browsers) => names.find(([, mark]) => mark.test(userAgent))?.[0]
  const browser = nameIn(browsers)
  if (browser === undefined) return /^[\w.~+-]{1,40}(\/[\w.+-]{1,20})?/.exec(userAgent)?.[0]
  const system = nameIn(systems)
  return system === undefined ? browser : `${browser} on ${system}`
}
