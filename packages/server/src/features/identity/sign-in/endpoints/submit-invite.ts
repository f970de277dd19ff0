import { acceptInviteByToken, insertBuilder } from '../../orgs/index.ts'
import { leadToSecondStep } from '../factors/half-sign-in.ts'
import { inviteOf, inviteRefusal } from '../invite-visit.ts'
import { readNewAccount } from '../new-account.ts'
import { consolePath } from '../next-path.ts'
import { type PageContext, type PageServices, sentForm } from '../page-endpoint.ts'
import type { InviteWay } from '../pages/invite-page.ts'
import { invitePage } from '../pages/invite-page.ts'
import type { Page } from '../pages/page.ts'
import { signInBrowser } from '../sign-in-browser.ts'
import { signInFault } from '../sign-in-fault.ts'
import { signInWithPassword } from '../sign-in-with-password.ts'
import { signedIn } from '../signed-in.ts'

export const submitInvite = sentForm({
  id: 'submitInvite',
  path: '//signin/invite',
  audit: { verb: 'accept', resource: 'invite' },
  summary: 'Accept an invite: with the signed-in account, an existing one, or a new one.',
  run: async (context, services) => {
    const token = context.form.get('token') ?? ''
    const found = await inviteOf(services, context, token)
    if ('refusal' in found) return found.refusal
    const { invite, way, otherEmail } = found
    const person = await personOf(context, services, way, invite.invitedEmail)
    if ('secondStepOf' in person) {
      const next = `/signin/invite?${new URLSearchParams({ token })}`
      return await leadToSecondStep(services, context, person.secondStepOf, next)
    }
    if ('fault' in person)
      return invitePage({
        formToken: context.formToken,
        token,
        orgLabel: invite.orgLabel,
        email: invite.invitedEmail,
        role: invite.role,
        way,
        otherEmail,
        singleSignOn: services.singleSignOn?.name,
        ...person,
      })
    // The account and its membership come together, or not at all.
    const { system } = services.database
    const refused = await system
      .transaction()
      .execute(async (tx) => {
        const { account } = person
        if (account) {
          const { builderId: id, ...rest } = { builderId: person.builderId, ...account }
          const made = await insertBuilder(tx, {
            ...rest,
            id,
            idpProvider: 'mortise',
            idpRef: id,
            emailVerified: false,
          })
          if (!made) throw new InviteNotTaken('accepted')
        }
        const accepted = await acceptInviteByToken(tx, services, { token, builderId: person.builderId })
        if ('refused' in accepted) throw new InviteNotTaken(accepted.refused)
        context.note({ ...signedIn({ id: person.builderId, email: invite.invitedEmail }), log: accepted.orgId })
        return undefined
      })
      .catch((error: unknown) => {
        if (error instanceof InviteNotTaken) return error.reason
        throw error
      })
    if (refused !== undefined) return inviteRefusal(refused)
    if (way === 'join') return { to: consolePath }
    const builder = { id: person.builderId, email: invite.invitedEmail }
    return { to: consolePath, cookies: await signInBrowser(services, context, builder, 'password') }
  },
})

/** Undoes the transaction. */
class InviteNotTaken extends Error {
  readonly reason: Parameters<typeof inviteRefusal>[0]
  constructor(reason: Parameters<typeof inviteRefusal>[0]) {
    super(reason)
    this.reason = reason
  }
}

interface Person {
  builderId: string
  /** To be made. */
  account?: { email: string; fullName: string | undefined; password: string }
}

/** Who accepts, as the form shows it. */
async function personOf(
  { form, owner, address, device, note }: PageContext,
  services: PageServices,
  way: InviteWay,
  email: string,
): Promise<Person | { secondStepOf: string } | { fault: string; status: Page['status'] }> {
  if (way === 'join' && owner) return { builderId: owner.builderId }
  if (way === 'new') {
    const account = await readNewAccount(form, email)
    if ('fault' in account) return { fault: account.fault, status: 400 }
    return {
      builderId: services.newId(),
      account: { ...account, password: await services.passwords.hash(account.password) },
    }
  }
  if (way === 'single-sign-on') return { fault: 'This account has no password.', status: 400 }
  try {
    const password = form.get('password') ?? ''
    const { builder, factors } = await signInWithPassword(services, { email, password, address, device, note })
    return factors.length > 0 ? { secondStepOf: builder.id } : { builderId: builder.id }
  } catch (error) {
    return signInFault(error, services.now())
  }
}
