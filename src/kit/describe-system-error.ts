/** Error codes of the system for a path, each with the problem and the remedy. */
const OF_A_PATH: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder. Check the path.',
  ENOTDIR: 'a part of this path is a file, not a folder. Check the path.',
  EISDIR: 'this is a folder, and a file is needed.',
  EACCES: 'permission denied. Give this user the right, or choose another path.',
  EPERM: 'the system does not permit it. Give this user the right, or choose another path.',
  EROFS: 'the file system is read-only. Choose another path, or mount it writable.',
  ENOSPC: 'the disk is full. Free some space and run again.',
  EDQUOT: 'the disk quota is used up. Free some space and run again.',
  EMFILE: 'too many files are open. Raise the limit (ulimit -n) or lower --concurrency.',
  ENFILE: 'too many files are open on this machine. Close some, or lower --concurrency.',
  ELOOP: 'symbolic links lead in a circle. Check the path.',
  ENAMETOOLONG: 'the path is too long for the file system. Choose a shorter one.',
  EEXIST: 'a file or folder of that name exists already. Move it away, or choose another path.',
  ENOTEMPTY: 'the folder is not empty. Choose another one.',
  EIO: 'the disk or mount fails. Check it.',
  ESTALE: 'the network mount is stale. Mount it again.',
}

/** Error codes of the system for a listening address. */
const OF_A_LISTENER: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program already listens there. Choose another port.',
  EADDRNOTAVAIL: 'this machine has no such address. Choose one of its own, such as 127.0.0.1 or 0.0.0.0.',
  EACCES: 'this user may not listen there. Choose a port from 1024 up.',
  ENOTFOUND: 'this host name cannot be resolved. Choose an address of this machine, such as 127.0.0.1.',
  EAI_AGAIN: 'this host name cannot be resolved. Choose an address of this machine, such as 127.0.0.1.',
  EAFNOSUPPORT: 'this machine does not support that kind of address. Choose another one.',
  ENOENT: 'the folder of the socket does not exist. Create it, or choose another path.',
  EINVAL: 'this is not an address to listen on, or the path of the socket is too long. Choose another one.',
}

/** Error codes of the system for a connection to a server. */
const OF_A_SERVER: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there. Check the address, and that the server runs.',
  ENOTFOUND: 'this host name cannot be resolved. Check the address.',
  EAI_AGAIN: 'the host name cannot be resolved at the moment. Check the address and the network.',
  ETIMEDOUT: 'no answer. Check the address, the network and the firewall.',
  EHOSTUNREACH: 'there is no route to this host. Check the address and the network.',
  ENETUNREACH: 'there is no route to this network. Check the network.',
  ECONNRESET: 'the connection was closed by the other side. Check that the address is right.',
  EPIPE: 'the connection was closed by the other side. Check that the address is right.',
  EPROTO: 'the server does not speak TLS there. Check http or https in the address.',
}

const WRITING: ReadonlySet<string> = new Set(['write', 'writev', 'fsync', 'fdatasync', 'close'])

interface SystemError extends Error {
  readonly code: string
  readonly syscall?: string
  readonly path?: string
  readonly address?: string
  readonly hostname?: string
  readonly port?: number
}

const isSystemError = (error: unknown): error is SystemError =>
  error instanceof Error && 'code' in error && typeof error.code === 'string'

/** Describes an error of the operating system and its remedy in one sentence; null for any other error. */
export function describeSystemError(error: unknown): string | null {
  if (!isSystemError(error)) return null
  const { code, syscall = '', path, address, hostname, port } = error
  if (syscall === 'listen') return sentence(whereOf(path ?? address ?? hostname, port), OF_A_LISTENER[code], code)
  const server = OF_A_SERVER[code]
  if (server !== undefined) return sentence(whereOf(hostname ?? address ?? path, port), server, code)
  const advice = OF_A_PATH[code]
  // The system names no path if a write to an open file fails: a full disk.
  const where = path ?? (WRITING.has(syscall) ? 'the file being written' : undefined)
  return advice === undefined || where === undefined ? null : sentence(where, advice, code)
}

const whereOf = (host: string | undefined, port: number | undefined): string =>
  [host ?? 'a server', ...(port === undefined || port < 0 ? [] : [String(port)])].join(':')

const sentence = (where: string, advice: string | undefined, code: string): string =>
  `${where}: ${advice ?? `the system answered ${code}.`}`

/** Describes why a server cannot listen on an address, for the setting that names it. */
export function listenProblem(error: unknown): string {
  const advice = isSystemError(error) ? OF_A_LISTENER[error.code] : undefined
  return advice ?? (error instanceof Error ? error.message : String(error))
}
