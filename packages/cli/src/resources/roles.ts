import { InvalidArgumentError, Option } from 'commander'

/** Roles of people, each with the rights of those before it. */
const roles = ['viewer', 'operator', 'developer', 'owner'] as const
export type Role = (typeof roles)[number]

/** Returns the option `--role`. `member`, which earlier releases had, is accepted as `developer`. */
export function roleOption(description: string): Option {
  const option = new Option('--role <role>', description).choices(roles)
  return option.argParser((text): Role => {
    const role = roles.find((one) => one === (text === 'member' ? 'developer' : text))
    if (role === undefined) throw new InvalidArgumentError(`Allowed choices are ${roles.join(', ')}.`)
    return role
  })
}
