import {
  type Access,
  type Endpoint,
  isForFrontends,
  type Principal,
  permissions,
  principals,
  type SessionAccess,
  sessionPermissions,
  sessionPurposes,
  type Verdict,
} from '../packages/server/src/kernel/http/index.ts'
import { publicPath } from '../packages/server/src/kernel/http/routes.ts'

const callers: Record<Principal, string> = {
  none: 'No credential',
  frontendKey: 'Key `frontend`',
  fullKey: 'Key `full`',
  consumer: 'Consumer token',
  builder: 'Builder',
  viewer: 'Viewer',
  operator: 'Operator',
  developer: 'Developer',
  owner: 'Owner',
}
const verdicts: Record<Verdict, string> = { allow: 'yes', unauthenticated: '401', forbidden: '403', hidden: '404' }
const rows: Record<Access, string> = {
  public: 'Public',
  frontendView: 'Front ends, and viewers',
  frontendOperate: 'Front ends, and operators',
  frontendDevelop: 'Front ends, and developers',
  view: 'Servers, and viewers',
  operate: 'Servers, and operators',
  develop: 'Servers, and developers',
  agent: 'Agents, and developers',
  account: 'Without a project in the path',
  builder: 'Your own account',
  member: 'Members of an organization',
  owner: 'Owners of an organization',
  ownerOrKey: 'Owners and keys of an organization',
}

const sessionRows: Record<SessionAccess, string> = {
  read: 'Read what the session is for',
  connect: 'Connect an account',
  install: 'Read, create and change installations',
  manage: 'Remove connections and installations',
}
const sessionVerdicts = { allow: 'yes', untilConnected: 'until the account is connected', forbidden: '403' }

/** The text of `docs/permissions.md`: the table of permissions, and which row each endpoint stands in. */
export function permissionsPage(endpoints: Endpoint[]): string {
  const accesses = Object.keys(permissions) as Access[]
  const tables = accesses
    .filter((access) => endpoints.some(({ declaration }) => declaration.access === access))
    .map((access) => {
      const lines = endpoints
        .filter(({ declaration }) => declaration.access === access)
        .map(({ declaration: { id, method, path, session } }) => {
          const row = isForFrontends(access) ? ` ${session === undefined ? 'no' : `\`${session}\``} |` : ''
          return `| \`${id}\` | \`${method} ${publicPath(path)}\` |${row}`
        })
        .toSorted()
      const [head, line] = isForFrontends(access) ? [' Connect session |', '---|'] : ['', '']
      return `## ${rows[access]} (\`${access}\`)\n\n| Endpoint | Request |${head}\n|---|---|${line}\n${lines.join('\n')}\n`
    })
  const matrix = accesses.map(
    (access) =>
      `| ${rows[access]} | \`${access}\` | ${principals.map((who) => verdicts[permissions[access][who]]).join(' | ')} |`,
  )
  const sessionMatrix = Object.entries(sessionPermissions).map(
    ([row, verdicts]) =>
      `| ${sessionRows[row as SessionAccess]} | \`${row}\` | ${sessionPurposes.map((purpose) => sessionVerdicts[verdicts[purpose]]).join(' | ')} |`,
  )
  return `# Permissions

<!-- Written by \`node scripts/run.mjs scripts/write-permissions-doc.ts\` from the code that decides; a test compares. -->

| Endpoints | Row | ${principals.map((who) => callers[who]).join(' | ')} |
|---|---|${principals.map(() => '---').join('|')}|
${matrix.join('\n')}

**Status codes:**

- **401**: there is no credential, or it is unknown, expired or inactive.
- **403**: the credential is valid, but may not call the endpoint.
- **404**: the resource looks as if it did not exist.

**Callers:**

- **Key** and **consumer token**: in their own project. Other projects and organizations are a 404, even where the table says yes.
- **Consumer token**: for its own group. Another group or consumer in a path, a query or a body is a 403. Resources of others are left
  out of lists, and are a 404 by their id. Consumer tokens and keys of scope \`frontend\` never see credentials of connections.
- **Viewer**, **operator**, **developer** and **owner**: builders with that role in the organization of the path, or in the one that owns the
  project of the path. [Roles](people.md#roles) describes them. A 403 names the role that is needed in \`context.neededRole\`.
- **Builder**: a builder without a role there.

- **Agent session**: the [token of a client that a user signed in](tools.md#sign-in-for-desktop-clients) works at the MCP server of its project,
  for its group. Everywhere else it is a 401.
- **Connect session**: the [token of a connect session](connecting.md#tokens-of-connect-sessions) is a consumer token with further limits: the purpose, the
  providers and the integrations of its session. It calls only endpoints that have a row for it:

| Endpoints | Row | ${sessionPurposes.map((purpose) => `\`${purpose}\``).join(' | ')} |
|---|---|${sessionPurposes.map(() => '---').join('|')}|
${sessionMatrix.join('\n')}

**Some endpoints check more:**

- \`createProject\`, \`addUserToOrg\` and \`claimDomain\` need the role \`owner\` in the organization that they change. People of a claimed domain
  can add themselves.
- \`deleteOrgBuilder\` needs the role \`owner\`, except to leave.
- \`generateUploadUrl\` needs the role \`developer\` in the project.
- \`createConnectSession\` needs the role \`developer\` for the purposes \`install\` and \`manage\`.
- \`getDestination\` needs the role \`developer\` with \`includeSecrets\` or \`rotate\`.
- \`getConnection\` needs the role \`developer\` to show credentials, and \`operator\` to renew the token.
- \`updateConnection\` needs the credential again if an operator changes where it is sent.
- \`updateDestination\` and \`updateProviderApp\` need secrets again if anybody changes who receives them.

To create credentials, see [API keys and tokens](api-keys.md).

${tables.join('\n')}`
}
