// Made by scripts/media-types.

extension MediaTypeTable {
    /// Types of text, images, sound, video and the rest.
    static let others: StaticString = """
        audio:32kadpcm 726; 3gpp 3gp 3gpp; 3gpp2 3g2 3gpp2; AMR amr; AMR-WB awb; ATRAC-ADVANCED-LOSSLESS aal;
        ATRAC-X atx; ATRAC3 at3 aa3 omg; EVRC evc; EVRC-QCP qcp; EVRCB evb; EVRCNW enw; EVRCWB evw; L16 l16;
        SMV smv; aac aac adts ass; ac3 ac3; annodex axa; asc acn; basic au snd; csound csd orc sco; dls dls;
        flac flac; iLBC lbc; mhas mhas; mobile-xmf mxmf; mp4 m4a; mpeg mp3 mpga mpega mp1 mp2; mpegurl m3u;
        ogg oga ogg opus spx; prs.sid sid psid; sofa sofa; sp-midi mid; usac loas xhe; vnd.audiokoz koz;
        vnd.dece.audio uva uvva; vnd.digital-winds eol; vnd.dolby.mlp mlp; vnd.dts dts; vnd.dts.hd dtshd;
        vnd.everad.plj plj; vnd.lucent.voice lvp; vnd.ms-playready.media.pya pya; vnd.nortel.vbk vbk;
        vnd.nuera.ecelp4800 ecelp4800; vnd.nuera.ecelp7470 ecelp7470; vnd.nuera.ecelp9600 ecelp9600;
        vnd.presonus.multitrack multitrack; vnd.rip rip; vnd.sealedmedia.softseal.mpeg smp3 smp s1m;
        x-aiff aif aiff aifc; x-gsm gsm; x-ms-wax wax; x-ms-wma wma; x-pn-realaudio ra rm ram; x-scpls pls;
        x-sd2 sd2; x-wav wav;
        chemical:x-alchemy alc; x-cache cac cache; x-cache-csf csf; x-cactvs-binary cbin cascii ctab; x-cdx cdx;
        x-chem3d c3d; x-cif cif; x-cmdf cmdf; x-compass cpa; x-crossfire bsd; x-csml csml csm; x-ctx ctx;
        x-cxf cxf cef; x-embl-dl-nucleotide emb embl; x-galactic-spc spc; x-gamess-input inp gam gamin;
        x-gaussian-checkpoint fch fchk; x-gaussian-cube cub; x-gaussian-input gau gjc gjf; x-gaussian-log gal;
        x-gcg8-sequence gcg; x-genbank gen; x-hin hin; x-isostar istr ist; x-jcamp-dx jdx dx; x-kinemage kin;
        x-macmolecule mcm; x-macromodel-input mmod; x-mdl-molfile mol; x-mdl-rdfile rd; x-mdl-rxnfile rxn;
        x-mdl-sdfile sd; x-mdl-tgf tgf; x-mmcif mcif; x-molconn-Z b; x-mopac-graph gpt;
        x-mopac-input mop mopcrt zmt; x-mopac-out moo; x-mopac-vib mvb; x-ncbi-asn1 asn; x-ncbi-asn1-ascii prt;
        x-ncbi-asn1-binary val; x-pdb pdb; x-rosdal ros; x-swissprot sw; x-vamas-iso14976 vms; x-vmd vmd;
        x-xtel xtel; x-xyz xyz;
        font:collection ttc; otf otf; ttf ttf; woff woff; woff2 woff2;
        image:aces exr; apng apng; avci avci; avcs avcs; avif avif hif; bmp bmp; cgm cgm; dicom-rle drle;
        dpx dpx; emf emf; fits fits fit fts; gif gif; heic heic; heic-sequence heics; heif heif;
        heif-sequence heifs; hej2k hej2; hsj2 hsj2; ief ief; jls jls; jp2 jp2 jpg2; jpeg jpg jpeg jpe jfif;
        jph jph; jphc jhc jphc; jpm jpm jpgm; jpx jpx jpf; jxl jxl; jxr jxr; jxrA jxra; jxrS jxrs; jxs jxs;
        jxsc jxsc; jxsi jxsi; jxss jxss; ktx ktx; ktx2 ktx2; png png; prs.btif btif btf; prs.pti pti;
        svg+xml svg svgz; tiff tiff tif; tiff-fx tfx; vnd.adobe.photoshop psd; vnd.airzip.accelerator.azv azv;
        vnd.dece.graphic uvi uvvi uvg uvvg; vnd.djvu djvu djv; vnd.dwg dwg; vnd.dxf dxf; vnd.fastbidsheet fbs;
        vnd.fpx fpx; vnd.fst fst; vnd.fujixerox.edmics-mmr mmr; vnd.fujixerox.edmics-rlc rlc;
        vnd.globalgraphics.pgb pgb; vnd.microsoft.icon ico; vnd.ms-modi mdi; vnd.pco.b16 b16;
        vnd.radiance hdr rgbe xyze; vnd.sealed.png spng spn s1n; vnd.sealedmedia.softseal.gif sgif sgi s1g;
        vnd.sealedmedia.softseal.jpg sjpg sjp s1j; vnd.tencent.tap tap; vnd.valve.source.texture vtf;
        vnd.wap.wbmp wbmp; vnd.xiff xif; vnd.zbrush.pcx pcx; webp webp; wmf wmf; x-canon-cr2 cr2;
        x-canon-crw crw; x-cmu-raster ras; x-coreldraw cdr; x-coreldrawpattern pat; x-coreldrawtemplate cdt;
        x-epson-erf erf; x-jg art; x-jng jng; x-nikon-nef nef; x-olympus-orf orf; x-portable-anymap pnm;
        x-portable-bitmap pbm; x-portable-graymap pgm; x-portable-pixmap ppm; x-rgb rgb; x-xbitmap xbm;
        x-xcf xcf; x-xpixmap xpm; x-xwindowdump xwd;
        message:global u8msg; global-delivery-status u8dsn; global-disposition-notification u8mdn;
        global-headers u8hdr; rfc822 eml mail mht mhtml nws;
        model:JT jt; gltf+json gltf; gltf-binary glb; iges igs iges; mesh msh mesh silo; mtl mtl; obj obj;
        prc prc; step stp step; step+xml stpx; step+zip stpz; step-xml+zip stpxz; stl stl; u3d u3d; vnd.cld cld;
        vnd.collada+xml dae; vnd.dwf dwf; vnd.gdl gdl win dor lmp rsm msm ism; vnd.gtw gtw; vnd.moml+xml moml;
        vnd.mts mts; vnd.opengex ogex; vnd.parasolid.transmit.binary x_b xmt_bin;
        vnd.parasolid.transmit.text x_t xmt_txt; vnd.pytha.pyox pyox; vnd.sap.vds vds; vnd.usda usda;
        vnd.usdz+zip usdz; vnd.valve.source.compiled-map bsp; vnd.vtu vtu; vrml wrl vrm vrml;
        x3d+fastinfoset x3db; x3d+xml x3d x3dz; x3d-vrml x3dv x3dvz;
        multipart:vnd.bint.med-plus bmed; voice-message vpm;
        text:SGML sgml sgm; cache-manifest appcache manifest; calendar ics ifb; cql cql; css css; csv csv;
        csv-schema csvs; dns soa zone; gff3 gff3; html html htm shtml; javascript es js mjs; jcr-cnd cnd;
        markdown md markdown; mizar miz; n3 n3; plain txt text pot brf srt ksh log ini cfg conf;
        provenance-notation provn; prs.fallenstein.rst rst; prs.lines.tag tag dsc; richtext rtx;
        shaclc shaclc shc; shex shex; spdx spdx; tab-separated-values tsv; texmacs tm; troff t tr roff;
        turtle ttl; uri-list uris uri; vcard vcf vcard; vnd.DMClientScript dms; vnd.a a; vnd.abc abc;
        vnd.ascii-art ascii; vnd.curl curl; vnd.debian.copyright copyright; vnd.esmertec.theme-descriptor jtd;
        vnd.exchangeable vfk; vnd.familysearch.gedcom ged; vnd.ficlab.flt flt; vnd.fly fly; vnd.fmi.flexstor flx;
        vnd.graphviz gv dot; vnd.hans hans; vnd.hgl hgl; vnd.in3d.3dml 3dml 3dm; vnd.in3d.spot spot spo;
        vnd.ms-mediapackage mpf; vnd.net2phone.commcenter.command ccc; vnd.senx.warpscript mc2; vnd.sosi sos;
        vnd.sun.j2me.app-descriptor jad; vnd.wap.si si; vnd.wap.sl sl; vnd.wap.wml wml; vnd.wap.wmlscript wmls;
        vtt vtt; wgsl wgsl; x-bibtex bib; x-boo boo; x-c++hdr h++ hpp hxx hh; x-c++src c++ cpp cxx cc; x-chdr h;
        x-component htc; x-csrc c; x-diff diff patch; x-dsrc d; x-haskell hs; x-java java; x-lilypond ly;
        x-literate-haskell lhs; x-moc moc; x-pascal p pas; x-pcs-gcd gcd; x-perl pl pm; x-python py;
        x-scala scala; x-setext etx; x-sfv sfv; x-swift swift; x-tcl tk; x-tex tex ltx sty cls; x-vcalendar vcs;
        video:annodex axv; dv dif dv; fli fli; gl gl; iso.segment m4s; mj2 mj2 mjp2; mp2t ts; mp4 mp4 mpg4 m4v;
        mpeg mpeg mpg mpe m1v m2v mpa; ogg ogv; quicktime qt mov; vnd.dece.hd uvh uvvh; vnd.dece.mobile uvm uvvm;
        vnd.dece.mp4 uvu uvvu; vnd.dece.pd uvp uvvp; vnd.dece.sd uvs uvvs; vnd.dece.video uvv uvvv;
        vnd.dvb.file dvb; vnd.fvt fvt; vnd.mpegurl mxu m4u; vnd.ms-playready.media.pyv pyv;
        vnd.nokia.interleaved-multimedia nim; vnd.radgamettools.bink bik bk2; vnd.radgamettools.smacker smk;
        vnd.sealed.mpeg1 smpg s11; vnd.sealed.mpeg4 s14; vnd.sealed.swf sswf ssw;
        vnd.sealedmedia.softseal.mov smov smo s1q; vnd.vivo viv; vnd.youtube.yt yt; webm webm; x-flv flv;
        x-la-asf lsf lsx; x-matroska mkv mpv; x-mng mng; x-ms-wm wm; x-ms-wmv wmv; x-ms-wmx wmx; x-ms-wvx wvx;
        x-msvideo avi; x-sgi-movie movie;
        """
}
