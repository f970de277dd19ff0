import {
  type Access,
  type Operation,
  type Principal,
  permissions,
  principals,
  type Verdict,
} from '../packages/server/src/kernel/http/index.ts'
import { publicPath } from '../packages/server/src/kernel/http/routes.ts'

const callers: Record<Principal, string> = {
  none: 'Nobody',
  frontendKey: 'Key `frontend`',
  fullKey: 'Key `full`',
  consumer: 'Consumer token',
  builder: 'Builder',
  member: 'Member',
  owner: 'Owner',
}
const verdicts: Record<Verdict, string> = { allow: 'yes', unauthenticated: '401', forbidden: '403', hidden: '404' }
const rows: Record<Access, string> = {
  public: 'Anybody',
  frontend: 'What a front end needs',
  full: 'Everything else of a project',
  key: 'What only servers do',
  account: 'What has no project in its path',
  builder: 'What concerns a person',
  member: 'What concerns an organisation',
  owner: 'What owners of it do',
  ownerOrKey: 'What owners and keys of it do',
}

/** The text of `docs/permissions.md`: the table of permissions, and which row each operation stands in. */
export function permissionsPage(operations: Operation[]): string {
  const accesses = Object.keys(permissions) as Access[]
  const tables = accesses
    .filter((access) => operations.some(({ declaration }) => declaration.access === access))
    .map((access) => {
      const lines = operations
        .filter(({ declaration }) => declaration.access === access)
        .map(({ declaration: { id, method, path } }) => `| \`${id}\` | \`${method} ${publicPath(path)}\` |`)
        .toSorted()
      return `## ${rows[access]} (\`${access}\`)\n\n| Operation | Request |\n|---|---|\n${lines.join('\n')}\n`
    })
  const matrix = accesses.map(
    (access) =>
      `| ${rows[access]} | \`${access}\` | ${principals.map((who) => verdicts[permissions[access][who]]).join(' | ')} |`,
  )
  return `# Who may call what

<!-- Written by \`node scripts/run.mjs scripts/write-permissions-doc.ts\` from the code that decides; a test compares. -->

| Operations | Row | ${principals.map((who) => callers[who]).join(' | ')} |
|---|---|${principals.map(() => '---').join('|')}|
${matrix.join('\n')}

- **401**: there is no credential, or it is unknown, expired or switched off. **403**: it is known, but not for this. **404**: it looks as
  if there were no such thing.
- **Key** and **consumer token**: in their own project. Every other project and organisation is a 404 to them, where the table says yes.
- **Consumer token**: for its own group. Another group or consumer named in a path, a query or a body is a 403; what belongs to another
  is left out of lists, and a 404 by its id. Credentials of connections are never shown to it, nor to a key of scope \`frontend\`.
- **Member** and **owner**: builders with that role in the organisation that the path names, or that owns the project it names.
  **Builder**: one without a role there.
- Some operations refuse more by themselves: a builder who may call \`createProject\` needs a role in the organisation that the body names.

How credentials are made: [API keys and tokens](api-keys.md).

${tables.join('\n')}`
}
