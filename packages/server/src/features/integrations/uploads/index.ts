import { generateUploadUrl } from './operations/generate-upload-url.ts'
import { putUpload } from './operations/put-upload.ts'

export { uploadBytesMax, uploadIdOf } from './model.ts'
export { deleteUpload, findUploadBody, sweepUploads } from './store.ts'

export const uploadsOperations = [generateUploadUrl, putUpload]
