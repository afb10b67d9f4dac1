import { execFile } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Loaded before a program: each flush takes longer, and all are counted. */
const SOURCE = `#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static atomic_int flushes;
static void wait_for_disk(void) { char *ms = getenv("FLUSH_MS"); flushes++; usleep((ms ? atoi(ms) : 0) * 1000); }
#define SLOW(name) int name(int fd) { static int (*real)(int); if (!real) real = dlsym(RTLD_NEXT, #name); wait_for_disk(); return real(fd); }
SLOW(fsync) SLOW(fdatasync) SLOW(syncfs)
__attribute__((destructor)) static void report(void) {
  char *path = getenv("FLUSH_COUNT"); if (!path || !flushes) return;
  FILE *file = fopen(path, "a"); fprintf(file, "%d\\n", flushes); fclose(file);
}
`

/** A disk on which each flush takes `flushMs` longer. Needs a C compiler. */
export class SlowDisk {
  readonly env: Readonly<Record<string, string>>
  readonly #count: string

  private constructor(library: string, count: string, flushMs: number) {
    this.#count = count
    this.env = { LD_PRELOAD: library, FLUSH_MS: String(flushMs), FLUSH_COUNT: count }
  }

  static async make(folder: string, flushMs: number): Promise<SlowDisk> {
    const [source, library] = [join(folder, 'slow-disk.c'), join(folder, 'slow-disk.so')]
    await writeFile(source, SOURCE)
    await promisify(execFile)('cc', ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl'])
    return new SlowDisk(library, join(folder, 'flushes'), flushMs)
  }

  /** Flushes of the programs that ended since the last call. */
  async flushes(): Promise<number> {
    const counts = await readFile(this.#count, 'utf8').catch(() => '')
    await rm(this.#count, { force: true })
    return counts.split('\n').reduce((sum, line) => sum + Number(line), 0)
  }
}
