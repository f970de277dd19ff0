import { readFile } from 'node:fs/promises'

/** An account to run PostgreSQL as, since PostgreSQL refuses to run as root. */
export interface SystemUser {
  name: string
  uid: number
  gid: number
}

/** The accounts that /etc/passwd knows. It must be an account: initdb looks its user up there. */
export async function systemUsers(passwdFile = '/etc/passwd'): Promise<SystemUser[]> {
  const lines = (await readFile(passwdFile, 'utf8')).split('\n')
  return lines.flatMap((line) => {
    const [name, , uid, gid] = line.split(':')
    return name && uid && gid ? [{ name, uid: Number(uid), gid: Number(gid) }] : []
  })
}

/** `postgres` where that account exists, else `nobody`. Neither is created or changed. */
export function unprivilegedUser(users: readonly SystemUser[]): SystemUser | undefined {
  return ['postgres', 'nobody'].map((name) => users.find((user) => user.name === name && user.uid !== 0)).find(Boolean)
}
