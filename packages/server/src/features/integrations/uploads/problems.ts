import { problem } from '../../../kernel/http/index.ts'

export const UploadUrlInvalid = problem({
  code: 'upload-url-invalid',
  status: 403,
  title: 'The upload URL is not valid',
  detail: 'The signature of the upload URL is wrong, or the URL has expired.',
  remedy: 'Get a new URL from GET /generate-upload-url, and upload to it unchanged within 15 minutes.',
  retryable: false,
  subsystem: 'uploads',
})

export const TooManyUploads = problem({
  code: 'too-many-uploads',
  status: 429,
  title: 'Too many open uploads',
  detail: 'The project has 100 uploads that are neither deployed nor expired.',
  remedy: 'Deploy the uploads, or wait until they expire, 15 minutes after their URL was created.',
  retryable: true,
  subsystem: 'uploads',
})

export const UploadGone = problem({
  code: 'upload-gone',
  status: 404,
  title: 'Upload not found',
  detail: 'The upload was already deployed, or it has expired.',
  remedy: 'Get a new URL from GET /generate-upload-url.',
  retryable: false,
  subsystem: 'uploads',
})
