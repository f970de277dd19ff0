import { AwsV4Signer } from 'aws4fetch'
import type { AwsCredentials } from './aws.ts'
import type { TargetAnswer, TargetRequest } from './http-target.testkit.ts'

export const awsSecret = 'wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY12'

export const awsCredentials: Required<AwsCredentials> = {
  awsKeyId: 'AKIAIOSFODNN7EXAMPLE',
  awsSecretKey: awsSecret,
  awsSessionToken: 'AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWL',
}

/** Wrong credentials, and the names of those that are. */
export const wrongAws = {
  input: { awsKeyId: 'short', awsSecretKey: 5, awsSessionToken: 'with space' },
  names: ['awsKeyId', 'awsSecretKey', 'awsSessionToken'],
}

/** Answers of AWS that accept nothing. */
export const awsFailures: Record<string, TargetAnswer> = {
  'may not': { status: 400, body: '{"__type":"AccessDeniedException","Message":"not authorized"}' },
  'is at the end of time': { status: 400, headers: { date: 'Sat, 13 Sep 275760 00:00:00 GMT' }, body: '{}' },
  'is throttled': { status: 400, body: '{"__type":"com.amazonaws.x#ThrottlingException"}' },
}

/** What clients add to a request that says what the machine is, and where it runs. */
const ofMachine = /aws-sdk|\bos\/|\bapp\/|exec-env/

/** Refuses a request whose signature is not the one that its bytes have, or that says what the machine is. */
export async function refusalOfSignature(
  { method, path, headers, body }: TargetRequest,
  { service, region }: { service: string; region: string },
  credentials: AwsCredentials = awsCredentials,
): Promise<TargetAnswer | undefined> {
  if (ofMachine.test(`${headers['user-agent']} ${headers['x-amz-user-agent']}`) || headers['x-amzn-trace-id'])
    return { status: 400, body: '{"__type":"SaysTooMuch"}' }
  const signed = /SignedHeaders=([^,]+)/.exec(headers['authorization'] ?? '')?.[1]?.split(';') ?? []
  const names = signed.filter((name) => name !== 'host' && name !== 'x-amz-date' && name !== 'x-amz-security-token')
  const signer = new AwsV4Signer({
    method,
    url: `http://${headers['host']}${path}`,
    headers: Object.fromEntries(names.map((name) => [name, headers[name] ?? ''])),
    body: new Uint8Array(body),
    allHeaders: true,
    accessKeyId: credentials.awsKeyId,
    secretAccessKey: credentials.awsSecretKey,
    ...(credentials.awsSessionToken !== undefined && { sessionToken: credentials.awsSessionToken }),
    service,
    region,
    datetime: headers['x-amz-date'] ?? '',
  })
  const expected = (await signer.sign()).headers.get('authorization')
  if (headers['authorization'] === expected) return undefined
  return { status: 403, body: '{"__type":"SignatureDoesNotMatch"}' }
}
