import { project, publicUrl, type World } from '../../../testkit/world.ts'
import { type SignInKit, startSignInKit } from './sign-in.testkit.ts'

/** Sets the sign-in page of the project of the examples. */
export async function startWorldSignIn({ app }: World): Promise<SignInKit> {
  return await startSignInKit(app, publicUrl, { project: project.slice('/projects/'.length) })
}

/** Returns the body of a form, for an example. */
export function formBody(fields: Record<string, string>): { bytes: Buffer; headers: Record<string, string> } {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return { bytes: Buffer.from(new URLSearchParams(fields).toString()), headers }
}
